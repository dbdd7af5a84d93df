import { readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { copyPart } from "../shared/copy-part.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { chooseItems } from "../shared/range.ts";
import { usageError } from "../shared/script-error.ts";
import { Deck } from "./deck.ts";
import { listSlide, orderSlides, removeSlides } from "./slide-list.ts";

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "Delete slides from a deck",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: { slides: { type: "string", value: "range", help: "Which: 1,3-5,8-" }, ...editOptions },
  run: async ({ operands: [path = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const slides = chooseItems(required(options.slides), deck.slides, "slide");
    removeSlides(deck, slides);
    const saved = await saveOffice(deck, output, { paragraphs: "any", elements: "any" });
    return { ...saved, deleted: slides.map(({ number }) => number), slides: deck.slides.length };
  },
});

export const duplicateCommand = defineCommand({
  name: "duplicate",
  summary: "Copy slides, each right after its original",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {
    slides: { type: "string", value: "range", help: "Which: 1,3-5,8-" },
    to: { type: "string", value: "n", help: "Put the copies together, the first at this number, instead" },
    ...editOptions,
  },
  run: async ({ operands: [path = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const slides = chooseItems(required(options.slides), deck.slides, "slide").toSorted(
      (a, b) => a.number - b.number,
    );
    const to = readInteger("to", options.to, { min: 1, max: deck.slides.length + 1 });
    const places = slides.map(({ number }, index) => (to === undefined ? number + 1 : to) + index);
    for (const [index, { part }] of slides.entries()) listSlide(deck, duplicate(deck, part), places[index]);
    const saved = await saveOffice(deck, output);
    return { ...saved, copies: places, slides: deck.slides.length };
  },
});

export const reorderCommand = defineCommand({
  name: "reorder",
  summary: "Put slides into another order",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {
    order: { type: "string", value: "range", help: "All slides in the new order: 3,1,2,4-" },
    slides: { type: "string", value: "range", help: "Or: only move these …" },
    to: { type: "string", value: "n", help: "… so that the first of them gets this number" },
    ...editOptions,
  },
  run: async ({ operands: [path = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const all = deck.slides;
    const order =
      options.order === undefined
        ? moved(all, options.slides, options.to)
        : chooseItems(options.order, all, "slide");
    if (order.length !== all.length) {
      throw usageError(
        `--order names ${order.length} of ${all.length} slides.`,
        "Name each slide once, or take slides out with delete.",
      );
    }
    const { sectionsRemoved } = orderSlides(deck, order);
    const saved = await saveOffice(deck, output);
    return { ...saved, order: order.map(({ number }) => number), sectionsRemoved };
  },
});

function moved(all: Deck["slides"], range: string | undefined, to: string | undefined): Deck["slides"] {
  const place = readInteger("to", to, { min: 1, max: all.length });
  if (range === undefined || place === undefined)
    throw usageError("Specify --order <range>, or --slides <range> --to <n>.");
  const chosen = chooseItems(range, all, "slide");
  const rest = all.filter((slide) => !chosen.includes(slide));
  return rest.toSpliced(place - 1, 0, ...chosen);
}

/** Pictures and designs are shared with the original; notes and charts are edited on their own. */
function duplicate(deck: Deck, part: string): string {
  const own = ["notesSlide", "chart", "package", "chartUserShapes", "chartStyle", "chartColorStyle"];
  return copyPart(part, deck.pkg, deck.pkg, new Map(), (name, kind) => {
    if (kind === "slide" && name === part) return undefined;
    if (kind === "comments") return null;
    return own.includes(kind) ? undefined : name;
  });
}

function required(range: string | undefined): string {
  if (range === undefined) throw usageError("Specify the slides: --slides <range>.");
  return range;
}
