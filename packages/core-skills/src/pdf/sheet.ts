import { type PDFDocument, type PDFPage, PDFString, rgb } from "@cantoo/pdf-lib";
import type { Alignment } from "../shared/block.ts";
import type { Fonts, Line } from "./typeset.ts";

export interface SheetSetup {
  readonly width: number;
  readonly height: number;
  readonly margin: number;
  readonly fontSize: number;
  readonly fonts: Fonts;
}

export const colors = {
  text: rgb(0.1, 0.1, 0.1),
  muted: rgb(0.4, 0.4, 0.4),
  link: rgb(0.05, 0.3, 0.65),
  line: rgb(0.75, 0.75, 0.75),
  shade: rgb(0.94, 0.94, 0.94),
};

export const LEADING = 1.4;

/** The page that is being written on, and how far down. A new one begins when the next thing does not fit. */
export class Sheet {
  readonly setup: SheetSetup;
  readonly #document: PDFDocument;
  #page: PDFPage | undefined;
  /** Where the next thing goes, from the lower edge. */
  #y = 0;

  constructor(document: PDFDocument, setup: SheetSetup) {
    this.#document = document;
    this.setup = setup;
  }

  get page(): PDFPage {
    if (this.#page === undefined) {
      this.#page = this.#document.addPage([this.setup.width, this.setup.height]);
      this.#y = this.top;
    }
    return this.#page;
  }

  get y(): number {
    return this.#page === undefined ? this.top : this.#y;
  }

  get top(): number {
    return this.setup.height - this.setup.margin;
  }

  get left(): number {
    return this.setup.margin;
  }

  get width(): number {
    return this.setup.width - 2 * this.setup.margin;
  }

  get room(): number {
    return this.y - this.setup.margin;
  }

  get isFresh(): boolean {
    return this.#page === undefined || this.#y === this.top;
  }

  /** The next thing goes onto a new page, if there is one. */
  breakPage(): void {
    this.#page = undefined;
  }

  /** Begins a new page where less than this is left, unless it would not fit on a new one either. */
  need(height: number): void {
    if (height > this.room && !this.isFresh) this.breakPage();
  }

  /** Adds vertical space, except at the head of a page. */
  skip(height: number): void {
    if (!this.isFresh) this.#y -= height;
  }

  advance(height: number): void {
    this.#y = this.y - height;
  }

  /** Draws a line of text with its base `baseline` above the lower edge. */
  drawLine(line: Line, place: LinePlace): void {
    const page = this.page;
    const slack = place.width - line.width;
    const align = place.align ?? (line.isRightToLeft ? "right" : "left");
    const shift = align === "right" ? slack : align === "center" ? slack / 2 : 0;
    let x = place.x + Math.max(0, shift);
    for (const { text, font, width, href, strike } of line.spans) {
      const color = href === undefined ? (place.color ?? colors.text) : colors.link;
      page.drawText(text, { x, y: place.baseline, size: place.size, font, color });
      if (strike) this.#rule(x, place.baseline + place.size * 0.28, width, color);
      if (href !== undefined) this.#link(href, x, place.baseline, width, place.size);
      x += width;
    }
  }

  #rule(x: number, y: number, width: number, color: ReturnType<typeof rgb>): void {
    this.page.drawLine({ start: { x, y }, end: { x: x + width, y }, thickness: 0.6, color });
  }

  /** Only addresses that a reader expects behind a link; a description must not make one that starts programs. */
  #link(href: string, x: number, y: number, width: number, size: number): void {
    this.#rule(x, y - size * 0.12, width, colors.link);
    if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return;
    const { context } = this.#document;
    const annotation = context.obj({
      Type: "Annot",
      Subtype: "Link",
      Rect: [x, y - size * 0.25, x + width, y + size],
      Border: [0, 0, 0],
      A: { Type: "Action", S: "URI", URI: PDFString.of(encodeURI(decodeSafely(href))) },
    });
    this.page.node.addAnnot(context.register(annotation));
  }
}

export interface LinePlace {
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
  readonly size: number;
  readonly align?: Alignment;
  readonly color?: ReturnType<typeof rgb>;
}

/** An address may come with or without its percent signs; the file has it with them, and brackets cannot end it. */
function decodeSafely(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}
