import { readInteger } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import {
  clearProperties,
  propertyOptions,
  readProperties,
  writeProperties,
} from "../shared/office-properties.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions, outputOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { addSlide } from "./add-slide.ts";
import { makeBlankDeck } from "./blank-deck.ts";
import { PALETTE_SIZE, type Palette } from "./blank-theme.ts";
import { Deck } from "./deck.ts";
import { readColor, readSlides } from "./deck-spec.ts";
import { removeSlides, requireUsual } from "./slide-list.ts";

const details = `Markdown: each # or ## heading begins a slide (# first: title slide; # later: section), and so does ---.
Lists, paragraphs, tables, ![alt](image.png) on its own line. From a paragraph "Notes: …" on: speaker notes.
JSON: {"slides": [{"title": "…", "subtitle": "…", "bullets": ["a", {"text": "b", "bullets": ["b1"]}], "text": "Markdown",
"table": {"header": ["…"], "rows": [["…"]]}, "image": {"path": "a.png", "alt": "…", "place": {"x": 2, "y": 5, "width": 12, "height": 8}},
"chart": {"type": "column|bar|line|area|pie|doughnut", "title": "…", "categories": ["Q1"], "series": [{"name": "…", "values": [1]}]},
"notes": "…", "layout": "Title Only", "kind": "title|section|content|agenda|picture|closing"}]}
Other slides: {"quote": "…", "by": "…"}, {"number": "12%", "text": "…"}, {"columns": [{"title": "…", "bullets": ["…"]}, {"title": "…", "chart": …}]}.
Categories such as 2026-01-31 are dates. A scatter chart has "series": [{"name": "…", "x": [1], "values": [2]}] and no categories.
A "place" in a table, image or chart is in centimeters from the upper left corner. A chart may have "colors": ["2F5D9B"].`;

export const createCommand = defineCommand({
  name: "create",
  summary: "Make a deck from Markdown or JSON",
  operands: { label: "<source.md|source.json|->", min: 1, max: 1 },
  options: {
    template: {
      type: "string",
      value: "file.pptx",
      help: "Take the design from this deck; its slides are left out",
    },
    palette: {
      type: "string",
      value: "colors",
      help: `Up to ${PALETTE_SIZE} accent colors of a new design: 2F5D9B,D9822B`,
    },
    ...propertyOptions,
    ...outputOptions,
  },
  details,
  run: async ({ operands: [source = ""], options }, io) => {
    const palette = options.palette === undefined ? undefined : readPalette(options.palette);
    if (palette !== undefined && options.template !== undefined)
      throw usageError("--palette is for a new design; --template brings its own colors.");
    const template = options.template === undefined ? undefined : await Deck.open(options.template, io);
    const output = await chooseOutput(options, template === undefined ? [] : [template.pkg.file], io);
    const slides = await readSlides(source, io);
    const deck = template ?? makeBlankDeck(palette);
    requireUsual(deck);
    removeSlides(deck, deck.slides);
    for (const slide of slides) await addSlide(deck, slide, undefined, io);
    if (template !== undefined) clearProperties(deck.pkg);
    writeProperties(deck.pkg, options);
    const saved = await saveOffice(deck, output, { paragraphs: "any", elements: "any" });
    return { ...saved, slides: slides.length, properties: readProperties(deck.pkg) };
  },
});

export const addCommand = defineCommand({
  name: "add",
  summary: "Add slides from Markdown or JSON to a deck, in its design",
  operands: { label: "<file.pptx> <source.md|source.json|->", min: 2, max: 2 },
  options: {
    at: {
      type: "string",
      value: "n",
      help: "The number that the first new slide gets (default: at the end)",
    },
    ...editOptions,
  },
  details,
  run: async ({ operands: [path = "", source = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    requireUsual(deck);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const slides = await readSlides(source, io);
    const at =
      readInteger("at", options.at, { min: 1, max: deck.slides.length + 1 }) ?? deck.slides.length + 1;
    for (const [index, slide] of slides.entries()) await addSlide(deck, slide, at + index, io);
    const saved = await saveOffice(deck, output);
    return { ...saved, added: slides.length, at, slides: deck.slides.length };
  },
});

function readPalette(text: string): Palette {
  const colors = text.split(",").map(readColor);
  if (colors.length <= PALETTE_SIZE && colors.every((color) => color !== undefined)) return colors;
  throw usageError(`--palette takes up to ${PALETTE_SIZE} colors of six hexadecimal digits: 2F5D9B,D9822B.`);
}
