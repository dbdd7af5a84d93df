import { clip, readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { addComment } from "./add-comment.ts";
import { readReviewer, reviewerOptions } from "./reviewer-option.ts";
import { WordFile } from "./word-file.ts";

export const commentCommand = defineCommand({
  name: "comment",
  summary: "Add a comment to a piece of text",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {
    find: { type: "string", help: "The text that the comment is about, as read shows it" },
    text: { type: "string", help: "The comment" },
    nth: { type: "string", value: "n", help: "Which occurrence (default 1)" },
    ...reviewerOptions,
    ...editOptions,
  },
  details: `The text must be within one paragraph of the body. Comments that the document has are listed by info.
Example: comment contract.docx --find "30 days" --text "Too long?" --author Ada --out reviewed.docx`,
  run: async ({ operands: [path = ""], options }, io) => {
    const { find = "", text = "" } = options;
    if (find === "" || text === "") throw usageError("--find <text> and --text <comment> are required.");
    const nth = readInteger("nth", options.nth, { min: 1, max: 10_000 }) ?? 1;
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const id = addComment(file, { find, nth, text }, readReviewer(options));
    if (id === undefined) {
      throw new ScriptError(
        "NOTHING_FOUND",
        `${path} has no occurrence ${nth} of ${JSON.stringify(clip(find, 60))}.`,
        {
          hint: "Get the exact text with read --format text. A tab, break or picture cannot be inside it.",
        },
      );
    }
    return { ...(await saveOffice(file, output)), comment: id, about: clip(find, 200) };
  },
});
