import { clip } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { readReplacements, replacementOptions } from "../shared/replacement-option.ts";
import { ScriptError } from "../shared/script-error.ts";
import { matcherOf, replaceInSegments } from "../shared/text-replace.ts";
import { editParagraphs, segmentsOf } from "./paragraph-text.ts";
import { readReviewer, reviewerOptions } from "./reviewer-option.ts";
import { ChangeTracker, type Reviewer } from "./track-change.ts";
import { WordFile } from "./word-file.ts";

function makeTracker(file: WordFile, reviewer: Reviewer): ChangeTracker {
  return new ChangeTracker(
    file.stories.map((part) => file.pkg.xml(part)),
    reviewer,
  );
}

export const replaceCommand = defineCommand({
  name: "replace",
  summary: "Find and replace text everywhere, keeping its style",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: {
    ...replacementOptions,
    track: { type: "boolean", help: "Make tracked changes that the reader accepts or rejects in Word" },
    ...reviewerOptions,
    ...editOptions,
  },
  details: `Looks in the body, tables, text boxes, headers, footers and notes, also where Word has parted the text into runs.
The new text has the style of the first character it replaces. A match never goes over the end of a paragraph.
When no text is found, the command fails and writes no file. With --track each change is a deletion and an
insertion by --author; text inside other tracked changes stays.
Example: replace contract.docx --pairs '{"Acme Ltd": "Globex Inc", "2025": "2026"}' --out new.docx`,
  run: async ({ operands: [path = ""], options }, io) => {
    const replacements = await readReplacements(options, io);
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const { pattern, replacementOf } = matcherOf(replacements, {
      ignoreCase: options["ignore-case"],
      wholeWord: options["whole-word"],
    });
    let edited = 0;
    const counts = new Map(replacements.map(({ find }) => [find, 0]));
    const tracker = options.track === true ? makeTracker(file, readReviewer(options)) : undefined;
    editParagraphs(file, (paragraph, isCopy) => {
      const choose = (match: string) => {
        const replacement = replacementOf(match);
        const found = replacement === undefined ? undefined : counts.get(replacement.find);
        if (replacement !== undefined && found !== undefined && !isCopy)
          counts.set(replacement.find, found + 1);
        return replacement?.with;
      };
      const changes =
        tracker === undefined
          ? replaceInSegments(segmentsOf(paragraph), pattern, choose)
          : tracker.replace(paragraph, pattern, choose);
      if (changes > 0) edited += 1;
    });
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) {
      throw new ScriptError("NOTHING_FOUND", `${path} has none of the texts; no file was written.`, {
        hint: "Texts are compared letter by letter: see the exact text with read --format text, or use --ignore-case.",
      });
    }
    const replaced = [...counts].slice(0, 100).map(([find, count]) => ({ find: clip(find, 100), count }));
    return { ...(await saveOffice(file, output, { paragraphs: edited })), total, replaced };
  },
});
