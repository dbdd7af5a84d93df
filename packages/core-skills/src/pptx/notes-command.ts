import { readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { readText } from "../shared/input-file.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { Deck } from "./deck.ts";
import { requireUsual } from "./slide-list.ts";
import { writeNotes } from "./write-notes.ts";

export const notesCommand = defineCommand({
  name: "notes",
  summary: "Set the speaker notes of a slide; an empty text takes them away",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {
    slide: { type: "string", value: "n", help: "The slide, counted from 1" },
    text: { type: "string", help: "The notes" },
    file: { type: "string", value: "path", help: "Or a file with the notes, - for stdin" },
    ...editOptions,
  },
  run: async ({ operands: [path = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    requireUsual(deck);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const number = readInteger("slide", options.slide, { min: 1, max: deck.slides.length });
    const slide = number === undefined ? undefined : deck.slides[number - 1];
    if (slide === undefined) throw usageError("Say which slide: --slide <n>.");
    if ((options.text === undefined) === (options.file === undefined)) {
      throw usageError("Say the notes: either --text <text> or --file <path>.");
    }
    const text = options.text ?? (await readText(options.file ?? "-", io));
    writeNotes(deck, slide.part, text.trim());
    return {
      ...(await saveOffice(deck, output, { paragraphs: "any" })),
      slide: slide.number,
      characters: text.trim().length,
    };
  },
});
