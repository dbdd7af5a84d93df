import type { FileChild, Paragraph, ParagraphChild } from "docx";
import {
  type Alignment,
  type Block,
  type Blocks,
  type Inline,
  type Inlines,
  plainText,
} from "../shared/block.ts";
import type { ImageFile } from "../shared/image-file.ts";
import type { Description, Page } from "./description.ts";
import { documentStyles, type Library, numberingLevels } from "./document-style.ts";
import { REFERENCE, takeNotes } from "./footnote.ts";

/** Turns a description to what the library writes. Images were read before. */
export class DocumentWriter {
  readonly #docx: Library;
  readonly #images: ReadonlyMap<string, ImageFile>;
  /** The first numbers that lists begin with: each needs a definition of its own. */
  readonly #starts = new Set<number>();
  #lists = 0;
  /** The numbers of footnotes by their marks. */
  #notes: ReadonlyMap<string, number> = new Map();

  constructor(docx: Library, images: ReadonlyMap<string, ImageFile>) {
    this.#docx = docx;
    this.#images = images;
  }

  write(description: Description): InstanceType<Library["Document"]> {
    const { Document, Footer, Header, PageOrientation } = this.#docx;
    const { page, header, footer } = description;
    const { blocks, notes } = takeNotes(description.blocks);
    this.#notes = new Map([...notes.keys()].map((mark, at) => [mark, at + 1]));
    const children = this.#blocks(blocks, contentWidth(page), 0);
    const margin = { top: page.margin, bottom: page.margin, left: page.margin, right: page.margin };
    const orientation = page.isLandscape ? PageOrientation.LANDSCAPE : PageOrientation.PORTRAIT;
    return new Document({
      styles: documentStyles(description),
      ...(notes.size > 0 && { footnotes: this.#footnotes(notes) }),
      numbering: {
        config: [...this.#starts].map((start) => ({
          reference: orderedReference(start),
          levels: numberingLevels(this.#docx, start),
        })),
      },
      sections: [
        {
          properties: { page: { size: { width: page.width, height: page.height, orientation }, margin } },
          ...(header && { headers: { default: new Header({ children: [this.#marginLine(header)] }) } }),
          ...(footer && { footers: { default: new Footer({ children: [this.#marginLine(footer)] }) } }),
          children,
        },
      ],
    });
  }

  #footnotes(notes: ReadonlyMap<string, Inlines>) {
    const { Paragraph } = this.#docx;
    return Object.fromEntries(
      [...notes.values()].map((content, at) => [
        String(at + 1),
        { children: [new Paragraph({ children: this.#inlines(content) })] },
      ]),
    );
  }

  #blocks(blocks: Blocks, width: number, depth: number): FileChild[] {
    return blocks.flatMap((block) => this.#block(block, width, depth));
  }

  #block(block: Block, width: number, depth: number): readonly FileChild[] {
    const { Paragraph, PageBreak, TableOfContents } = this.#docx;
    const indent = depth === 0 ? {} : { indent: { left: depth * 720 } };
    switch (block.type) {
      case "heading":
        return [new Paragraph({ style: `Heading${block.level}`, children: this.#inlines(block.content) })];
      case "paragraph":
        // Word fills in the page numbers when it opens the document.
        if (depth === 0 && plainText(block.content) === TABLE_OF_CONTENTS)
          return [new TableOfContents("Contents", { hyperlink: true, headingStyleRange: "1-3" })];
        return [new Paragraph({ ...indent, children: this.#inlines(block.content) })];
      case "list":
        return this.#list(block, width, depth);
      case "table":
        return this.#table(block, width);
      case "code":
        return block.text
          .split("\n")
          .map((line) => new Paragraph({ style: "Code", children: this.#inlines([{ text: line }]) }));
      case "quote":
        return this.#quote(block.blocks, width, depth);
      case "image":
        return [new Paragraph({ ...indent, children: [this.#image(block, width)] })];
      case "rule":
        return [new Paragraph({ thematicBreak: true })];
      case "pageBreak":
        return [new Paragraph({ children: [new PageBreak()] })];
    }
  }

  #list(block: Extract<Block, { type: "list" }>, width: number, depth: number): readonly FileChild[] {
    const { Paragraph } = this.#docx;
    const level = Math.min(depth, 8);
    this.#lists += 1;
    const instance = this.#lists;
    if (block.ordered) this.#starts.add(block.start);
    const place = block.ordered
      ? { numbering: { reference: orderedReference(block.start), level, instance } }
      : { bullet: { level } };
    return block.items.flatMap(([first, ...rest]) => {
      const isText = first?.type === "paragraph";
      const head = new Paragraph({ ...place, children: isText ? this.#inlines(first.content) : [] });
      const others = isText || first === undefined ? rest : [first, ...rest];
      return [head, ...this.#blocks(others, width, depth + 1)];
    });
  }

  #quote(blocks: Blocks, width: number, depth: number): readonly FileChild[] {
    const { Paragraph } = this.#docx;
    return blocks.flatMap((block) =>
      block.type === "paragraph"
        ? [new Paragraph({ style: "Quote", children: this.#inlines(block.content) })]
        : this.#block(block, width, depth + 1),
    );
  }

  #table(block: Extract<Block, { type: "table" }>, width: number): readonly FileChild[] {
    const { Paragraph, Table, TableCell, TableRow, WidthType } = this.#docx;
    const columns = Math.max(block.header.length, 1);
    const columnWidths = Array.from({ length: columns }, () => Math.floor(width / columns));
    const row = (cells: readonly Inlines[], isHeader: boolean) =>
      new TableRow({
        ...(isHeader && { tableHeader: true }),
        cantSplit: true,
        children: columnWidths.map((size, column) => {
          const content = (cells[column] ?? []).map((each) => (isHeader ? { ...each, bold: true } : each));
          return new TableCell({
            width: { size, type: WidthType.DXA },
            margins: { top: 60, bottom: 60, left: 110, right: 110 },
            ...(isHeader && { shading: { fill: "E7EBF3" } }),
            children: [this.#cell(content, block.align[column] ?? "left")],
          });
        }),
      });
    const hasHeader = block.header.some((cell) => cell.length > 0);
    const rows = [
      ...(hasHeader ? [row(block.header, true)] : []),
      ...block.rows.map((cells) => row(cells, false)),
    ];
    if (rows.length === 0) return [];
    const table = new Table({
      rows,
      columnWidths,
      width: { size: columnWidths.reduce((sum, each) => sum + each, 0), type: WidthType.DXA },
    });
    // Two tables without a paragraph between them are one to Word.
    return [table, new Paragraph({ spacing: { after: 0 } })];
  }

  #cell(content: Inlines, alignment: Alignment): Paragraph {
    const { Paragraph } = this.#docx;
    return new Paragraph({ alignment, spacing: { after: 0 }, children: this.#inlines(content) });
  }

  #marginLine(content: Inlines): Paragraph {
    const { Paragraph, PageNumber, TextRun } = this.#docx;
    const fields = { "{page}": PageNumber.CURRENT, "{pages}": PageNumber.TOTAL_PAGES };
    const children = content.flatMap((inline) =>
      inline.text.split(/(\{pages?\})/).map((text) => {
        const isField = text === "{page}" || text === "{pages}";
        return isField ? new TextRun({ children: [fields[text]] }) : this.#run({ ...inline, text });
      }),
    );
    return new Paragraph({ alignment: "center", children });
  }

  #inlines(content: Inlines): ParagraphChild[] {
    const { ExternalHyperlink, FootnoteReferenceRun } = this.#docx;
    return content
      .flatMap((inline) => this.#splitAtNotes(inline))
      .map((inline) => {
        if (typeof inline === "number") return new FootnoteReferenceRun(inline);
        // Anything else would be a link that a reader cannot see through.
        const isLink = inline.href !== undefined && /^(?:https?:|mailto:|tel:)/i.test(inline.href);
        if (!isLink) return this.#run(inline);
        return new ExternalHyperlink({ link: inline.href ?? "", children: [this.#run(inline, "Hyperlink")] });
      });
  }

  #splitAtNotes(inline: Inline): readonly (Inline | number)[] {
    if (this.#notes.size === 0 || inline.code === true) return [inline];
    // Every second part is the mark of a reference.
    const parts = inline.text.split(new RegExp(REFERENCE, "g"));
    return parts.flatMap((part, at): readonly (Inline | number)[] => {
      const note = at % 2 === 1 ? this.#notes.get(part) : undefined;
      if (note !== undefined) return [note];
      const text = at % 2 === 1 ? `[^${part}]` : part;
      return text === "" ? [] : [{ ...inline, text }];
    });
  }

  #run({ text, bold, italic, code, strike }: Inline, style?: string) {
    const { TextRun, Tab } = this.#docx;
    const children = text
      .split("\n")
      .flatMap((line, index) => [
        ...(index === 0 ? [] : [this.#lineBreak()]),
        ...line.split("\t").flatMap((part, column) => (column === 0 ? [part] : [new Tab(), part])),
      ]);
    return new TextRun({
      children: children.filter((child) => child !== ""),
      ...(bold === true && { bold: true }),
      ...(italic === true && { italics: true }),
      ...(strike === true && { strike: true }),
      ...(code === true && { style: "CodeText", font: "Courier New" }),
      ...(style !== undefined && { style }),
    });
  }

  #lineBreak() {
    const { CarriageReturn } = this.#docx;
    return new CarriageReturn();
  }

  #image(block: Extract<Block, { type: "image" }>, width: number): ParagraphChild {
    const { ImageRun } = this.#docx;
    const image = this.#images.get(block.path);
    if (image === undefined) throw new Error(`${block.path} was not read.`);
    // Word counts 15 twips a pixel; a point is 20 twips.
    const wanted = block.width === undefined ? image.width : (block.width * 20) / 15;
    const shown = Math.max(1, Math.round(Math.min(wanted, width / 15)));
    const height = Math.max(1, Math.round((shown * image.height) / image.width));
    const name = block.alt === "" ? "Image" : block.alt;
    return new ImageRun({
      type: image.format === "jpeg" ? "jpg" : image.format,
      data: image.bytes,
      transformation: { width: shown, height },
      altText: { name, title: name, description: block.alt },
    });
  }
}

/** A paragraph of this text is a table of contents. */
const TABLE_OF_CONTENTS = "[TOC]";

function orderedReference(start: number): string {
  return `ordered-${start}`;
}

function contentWidth(page: Page): number {
  return (page.isLandscape ? page.height : page.width) - 2 * page.margin;
}
