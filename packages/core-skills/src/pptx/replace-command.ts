import { clip } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { chooseItems } from "../shared/range.ts";
import { readReplacements, replacementOptions } from "../shared/replacement-option.ts";
import { ScriptError } from "../shared/script-error.ts";
import { matcherOf, replaceInSegments } from "../shared/text-replace.ts";
import { Deck } from "./deck.ts";
import { editParagraphs, segmentsOf } from "./shape-text.ts";

export const replaceCommand = defineCommand({
  name: "replace",
  summary: "Find and replace text on slides and in notes, keeping its style",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {
    ...replacementOptions,
    slides: { type: "string", value: "range", help: "Only on these: 1,3-5,8-" },
    ...editOptions,
  },
  details: `Looks in titles, text, tables, groups, diagrams and notes, also where PowerPoint has parted the text into runs.
When no text is found, the command fails and writes no file.`,
  run: async ({ operands: [path = ""], options }, io) => {
    const replacements = await readReplacements(options, io);
    const deck = await Deck.open(path, io);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const { pattern, replacementOf } = matcherOf(replacements, {
      ignoreCase: options["ignore-case"],
      wholeWord: options["whole-word"],
    });
    let edited = 0;
    const counts = new Map(replacements.map(({ find }) => [find, 0]));
    editParagraphs(deck, chooseItems(options.slides, deck.slides, "slide"), (paragraph) => {
      const changes = replaceInSegments(segmentsOf(paragraph), pattern, (match) => {
        const replacement = replacementOf(match);
        if (replacement !== undefined) counts.set(replacement.find, (counts.get(replacement.find) ?? 0) + 1);
        return replacement?.with;
      });
      if (changes > 0) edited += 1;
    });
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) {
      throw new ScriptError("NOTHING_FOUND", `${path} has none of the texts; no file was written.`, {
        hint: "Texts are compared letter by letter: see the exact text with read, or use --ignore-case.",
      });
    }
    const replaced = [...counts].slice(0, 100).map(([find, count]) => ({ find: clip(find, 100), count }));
    return { ...(await saveOffice(deck, output, { paragraphs: edited })), total, replaced };
  },
});
