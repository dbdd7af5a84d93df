import {
  PDFCheckBox,
  type PDFDict,
  type PDFField,
  PDFHexString,
  PDFName,
  PDFRadioGroup,
  PDFString,
} from "@cantoo/pdf-lib";
import { clip } from "../shared/bounded.ts";
import type { JsonObject } from "../shared/command.ts";
import type { InputFile } from "../shared/input-file.ts";
import { openTextLayer } from "./text-layer.ts";
import { type Cell, groupLines, splitCells } from "./text-line.ts";

/** A piece of text of a page with its height. */
interface PlacedText extends Cell {
  readonly y: number;
  readonly size: number;
}

interface Box {
  readonly page: number;
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

const LABEL_LENGTH = 120;
const MAX_PAGES = 50;

/** The label and the positions of each field, in field order. Field names in files are often meaningless. */
export async function labelFields(
  fields: readonly PDFField[],
  pages: ReadonlyMap<PDFDict, number>,
  file: InputFile,
  password: string,
): Promise<readonly JsonObject[]> {
  const used = [...new Set(fields.flatMap((field) => boxesOf(field, pages).map(({ page }) => page)))];
  const texts = await readTexts(file, password, used.slice(0, MAX_PAGES));
  return fields.map((field) => describe(field, boxesOf(field, pages), texts));
}

function describe(
  field: PDFField,
  boxes: readonly Box[],
  texts: ReadonlyMap<number, readonly PlacedText[]>,
): JsonObject {
  const isMark = field instanceof PDFCheckBox || field instanceof PDFRadioGroup;
  const tooltip = tooltipOf(field);
  const options = field instanceof PDFRadioGroup ? field.getOptions() : [];
  const [first] = boxes;
  const nearby = (box: Box | undefined) =>
    box === undefined ? undefined : nearestText(box, texts.get(box.page) ?? [], isMark);
  return {
    label: tooltip ?? nearby(first),
    boxes: boxes.slice(0, 50).map((box, index) => ({
      page: box.page,
      box: [box.left, box.bottom, box.width, box.height].map((value) => Math.round(value * 10) / 10),
      ...(options.length === boxes.length ? { option: options[index], label: nearby(box) } : {}),
    })),
  };
}

function boxesOf(field: PDFField, pages: ReadonlyMap<PDFDict, number>): readonly Box[] {
  return field.acroField.getWidgets().flatMap((widget) => {
    const page = pages.get(widget.dict);
    if (page === undefined) return [];
    const { x, y, width, height } = widget.getRectangle();
    return [{ page, left: x, bottom: y, width, height }];
  });
}

function tooltipOf(field: PDFField): string | undefined {
  const value = field.acroField.dict.lookup(PDFName.of("TU"));
  const text = value instanceof PDFString || value instanceof PDFHexString ? value.decodeText().trim() : "";
  return text === "" ? undefined : clip(text, LABEL_LENGTH);
}

async function readTexts(
  file: InputFile,
  password: string,
  pages: readonly number[],
): Promise<ReadonlyMap<number, readonly PlacedText[]>> {
  const texts = new Map<number, readonly PlacedText[]>();
  if (pages.length === 0) return texts;
  const layer = await openTextLayer(file, password);
  try {
    for (const page of pages) {
      const content = await layer.readPage(page - 1).catch(() => undefined);
      const lines = groupLines(content?.runs ?? []);
      texts.set(
        page,
        lines.flatMap((line) => splitCells(line).map((cell) => ({ ...cell, y: line.y, size: line.size }))),
      );
    }
  } finally {
    await layer.close();
  }
  return texts;
}

/** Boxes to mark have their text to the right, others to the left or above. */
function nearestText(box: Box, texts: readonly PlacedText[], isMark: boolean): string | undefined {
  const sides = isMark ? [rightOf, leftOf, above] : [leftOf, above, rightOf];
  for (const distance of sides) {
    const near = texts
      .map((text) => ({ text, far: distance(box, text) }))
      .filter(({ far }) => far !== undefined)
      .toSorted((a, b) => (a.far ?? 0) - (b.far ?? 0));
    if (near[0] !== undefined) return clip(near[0].text.text.replace(/[\s:_.]+$/, ""), LABEL_LENGTH);
  }
  return undefined;
}

const BESIDE = 250;
const ABOVE = 24;

function isLevel(box: Box, text: PlacedText): boolean {
  return text.y >= box.bottom - text.size * 0.6 && text.y <= box.bottom + box.height;
}

function leftOf(box: Box, text: PlacedText): number | undefined {
  const gap = box.left - text.right;
  return isLevel(box, text) && gap > -3 && gap < BESIDE ? gap : undefined;
}

function rightOf(box: Box, text: PlacedText): number | undefined {
  const gap = text.left - (box.left + box.width);
  return isLevel(box, text) && gap > -3 && gap < BESIDE ? gap : undefined;
}

function above(box: Box, text: PlacedText): number | undefined {
  const gap = text.y - (box.bottom + box.height);
  const overlaps = text.left <= box.left + box.width && text.right >= box.left;
  return overlaps && gap > -3 && gap < ABOVE ? gap : undefined;
}
