import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand } from "../shared/command.ts";
import { readProperties } from "../shared/office-properties.ts";
import { Deck } from "./deck.ts";
import { readSlide } from "./read-slide.ts";

const EMU_PER_CM = 360_000;

export const infoCommand = defineCommand({
  name: "info",
  summary: "Describe a deck: properties, size, slides with their titles, layouts",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: {},
  run: async ({ operands: [path = ""] }, io) => {
    const deck = await Deck.open(path, io);
    const { width, height } = deck.size;
    const slides = deck.slides.map((slide) => {
      const content = readSlide(deck, slide);
      return {
        slide: slide.number,
        title: clip(content.title, 200),
        layout: clip(content.layout, 100),
        ...(content.isHidden ? { hidden: true } : {}),
        tables: content.tables.length,
        images: content.images.length,
        charts: content.charts.length,
        hasNotes: content.notes !== "",
        comments: content.comments.length,
      };
    });
    return {
      file: path,
      properties: readProperties(deck.pkg),
      size: { widthCm: round(width / EMU_PER_CM), heightCm: round(height / EMU_PER_CM) },
      slides: boundList(slides, 200),
      layouts: [...new Set(deck.layouts.map(({ name }) => clip(name, 100)))].slice(0, 100),
      hasMacros: deck.pkg.names.some((name) => /vbaProject\.bin$/i.test(name)),
    };
  },
});

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
