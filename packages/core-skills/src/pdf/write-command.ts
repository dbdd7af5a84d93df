import { type PDFDocument, type PDFFont, rgb } from "@cantoo/pdf-lib";
import { clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject, type JsonValue } from "../shared/command.ts";
import { readJson } from "../shared/input-file.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { isRightToLeft } from "./bidi.ts";
import { drawDirected, findMissing, fontOption, missingCharacters, readFont, warnOfShapes } from "./font.ts";
import { openToChange, passwordOptions } from "./open-pdf.ts";
import { saveEdited, warnOfChange } from "./save-pdf.ts";

const MAX_ENTRIES = 500;
const SIZE = 11;
const SMALLEST = 4;

export const writeCommand = defineCommand({
  name: "write",
  summary: "Write text at places of a page, as to fill a form without fields",
  operands: { label: "<file>", min: 1, max: 1 },
  options: {
    texts: { type: "string", value: "json", help: "The entries: a file, - for stdin, or the JSON itself" },
    ...fontOption,
    ...editOptions,
    ...passwordOptions,
  },
  details: `
[{"page": 1, "box": [90, 650, 200, 18], "text": "Ada Lovelace"}, {"page": 2, "box": [40, 120, 12, 12], "text": "x", "size": 10}]

A box is left, bottom, width and height in points from the lower left corner. Text is one line; it is made smaller when it
does not fit, down to ${SMALLEST} points. Find the places with render: its "scale" is pixels per point. Where the form has fields,
use fill.

Example: write form.pdf --texts entries.json --out filled.pdf`,
  run: async ({ operands: [path = ""], options }, io) => {
    if (options.texts === undefined)
      throw usageError("Give the entries: --texts entries.json.", "See write --help.");
    const entries = readEntries(await readJson(options.texts, io));
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const { document } = opened;
    const font = await readFont(document, options.font, io);
    const missing = findMissing(entries.map(({ text }) => text).join(""), font);
    if (missing.length > 0) throw missingCharacters(missing, "An entry");
    for (const entry of entries) drawEntry(document, font, entry, path);
    const warnings = [
      ...warnOfChange(opened),
      ...warnOfShapes(entries.map(({ text }) => text).join(" "), font),
    ];
    return { ...(await saveEdited(opened, output)), entries: entries.length, warnings };
  },
});

interface Entry {
  readonly page: number;
  readonly box: readonly [number, number, number, number];
  readonly text: string;
  readonly size: number;
}

function readEntries(value: JsonValue): readonly Entry[] {
  if (!Array.isArray(value) || value.length === 0) throw usageError("--texts must be a list of entries.");
  if (value.length > MAX_ENTRIES)
    throw usageError(`--texts has ${value.length} entries; ${MAX_ENTRIES} is the maximum.`);
  return value.map((each: JsonValue, index) => readEntry(each, `entry ${index + 1}`));
}

function readEntry(value: JsonValue, where: string): Entry {
  const entry: JsonObject =
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  const { page, box, text, size = SIZE } = entry;
  const [left, bottom, width, height] = Array.isArray(box) ? box : [];
  const numbers = [left, bottom, width, height, size, page].filter(
    (each) => typeof each === "number" && Number.isFinite(each),
  );
  if (numbers.length !== 6 || typeof text !== "string" || /[\r\n]/.test(text)) {
    throw usageError(
      `${where} is not valid: ${clip(JSON.stringify(value), 100)}.`,
      'An entry is {"page": 1, "box": [left, bottom, width, height], "text": "one line", "size": 11}.',
    );
  }
  // All six are numbers, as was just counted.
  return {
    page: page as number,
    box: [left, bottom, width, height] as Entry["box"],
    text,
    size: size as number,
  };
}

/** Draws on the line in the middle of the box, as large as fits. */
function drawEntry(
  document: PDFDocument,
  font: PDFFont,
  { page, box, text, size }: Entry,
  path: string,
): void {
  const sheet = document.getPages()[page - 1];
  if (sheet === undefined) {
    throw new ScriptError(
      "USAGE",
      `${path} has ${document.getPageCount()} pages, so there is no page ${page}.`,
      { exit: 2 },
    );
  }
  const [left, bottom, width, height] = box;
  const across = (width / font.widthOfTextAtSize(text, 1)) * 0.98;
  const fit = Math.min(size, across, height * 0.95);
  if (fit < SMALLEST) {
    throw new ScriptError(
      "TEXT_TOO_LONG",
      `${JSON.stringify(clip(text, 60))} does not fit into its box on page ${page}.`,
      {
        hint: "Use a larger box or a shorter text.",
      },
    );
  }
  const room = width - 2 - font.widthOfTextAtSize(text, fit);
  drawDirected(sheet, text, {
    x: left + 1 + (isRightToLeft(text) ? Math.max(0, room) : 0),
    y: bottom + (height - fit * 0.7) / 2,
    size: fit,
    font,
    color: rgb(0, 0, 0),
  });
}
