import type { IStylesOptions } from "docx";
import type { Description } from "./description.ts";

/** The library that writes documents, loaded when one is made. */
export type Library = typeof import("docx");

/** The styles of a new document. Colors and spacing are plain, so the document fits any context. */
export function documentStyles({ font, fontSize }: Description): IStylesOptions {
  const heading = (points: number, before: number) => ({
    run: { font, size: points * 2, bold: true, color: "1F2A44" },
    paragraph: { spacing: { before, after: 120 }, keepNext: true, keepLines: true },
  });
  return {
    default: {
      document: {
        run: { font, size: Math.round(fontSize * 2) },
        paragraph: { spacing: { after: 140, line: 276 } },
      },
      heading1: heading(fontSize + 9, 360),
      heading2: heading(fontSize + 5, 300),
      heading3: heading(fontSize + 2, 240),
      heading4: heading(fontSize + 1, 200),
      heading5: heading(fontSize, 200),
      heading6: heading(fontSize, 200),
    },
    paragraphStyles: [
      {
        id: "Code",
        name: "Code",
        basedOn: "Normal",
        run: { font: "Courier New", size: 18 },
        paragraph: { spacing: { after: 0, line: 240 }, indent: { left: 240 } },
      },
      {
        id: "Quote",
        name: "Quote",
        basedOn: "Normal",
        run: { italics: true, color: "444444" },
        paragraph: { indent: { left: 480, right: 480 } },
      },
    ],
    characterStyles: [
      { id: "CodeText", name: "Code Text", basedOn: "DefaultParagraphFont", run: { font: "Courier New" } },
    ],
  };
}

/** Nine levels of an ordered list: 1. a. i. and again. */
export function numberingLevels({ LevelFormat }: Library, start: number) {
  const formats = [LevelFormat.DECIMAL, LevelFormat.LOWER_LETTER, LevelFormat.LOWER_ROMAN];
  return Array.from({ length: 9 }, (_, level) => ({
    level,
    format: formats[level % formats.length] ?? LevelFormat.DECIMAL,
    text: `%${level + 1}.`,
    start: level === 0 ? start : 1,
    style: { paragraph: { indent: { left: 720 * (level + 1), hanging: 360 } } },
  }));
}
