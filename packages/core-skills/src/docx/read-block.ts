import { type Block, type Blocks, type Inline, type Inlines, plainText } from "../shared/block.ts";
import { attributeOf, childOf, childrenOf, descend, hasTag } from "../shared/office-xml.ts";
import type { XmlElement } from "../shared/xml.ts";
import { foldLists, type ListItem } from "./list-fold.ts";
import type { Numbering } from "./numbering.ts";
import { readPieces } from "./read-run.ts";
import type { Styles } from "./styles.ts";
import type { WordFile } from "./word-file.ts";

/** Reads the content of a body, a cell, a header or a note to blocks. Images have the name of their part as path. */
export function readBlocks(content: XmlElement, file: WordFile, part: string): Blocks {
  return new BlockReader(file, part).read(content);
}

/** The elements of a body that are paragraphs and tables, also those inside content controls. */
export function flowOf(content: XmlElement): readonly XmlElement[] {
  return childrenOf(content).flatMap((child): readonly XmlElement[] => {
    if (hasTag(child, "w:p") || hasTag(child, "w:tbl")) return [child];
    const wrappers = ["w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"] as const;
    return wrappers.some((tag) => hasTag(child, tag)) ? flowOf(child) : [];
  });
}

type Item = Block | ListItem;

class BlockReader {
  readonly #file: WordFile;
  readonly #part: string;
  readonly #styles: Styles;
  readonly #numbering: Numbering;

  constructor(file: WordFile, part: string) {
    this.#file = file;
    this.#part = part;
    this.#styles = file.styles;
    this.#numbering = file.numbering;
  }

  read(content: XmlElement): Blocks {
    const items = flowOf(content).flatMap((element) =>
      hasTag(element, "w:tbl") ? [this.#readTable(element)] : this.#readParagraph(element),
    );
    return foldLists(joinNeighbors(items));
  }

  #readParagraph(paragraph: XmlElement): readonly Item[] {
    const pieces = readPieces(paragraph, this.#file, this.#part);
    const content = mergeInlines(pieces.flatMap((piece) => (piece.type === "text" ? [piece.inline] : [])));
    const images = pieces.flatMap((piece): Block[] =>
      piece.type === "image" ? [{ type: "image", path: piece.path, alt: piece.alt }] : [],
    );
    const boxes = pieces.flatMap((piece) => (piece.type === "box" ? this.read(piece.content) : []));
    const isBrokenFirst =
      isOnBefore(paragraph) ||
      pieces.findIndex(isBreak) === 0 ||
      (content.length === 0 && pieces.some(isBreak));
    const isBrokenLater = !isBrokenFirst && pieces.some(isBreak);
    const pageBreak: Block = { type: "pageBreak" };
    return [
      ...(isBrokenFirst ? [pageBreak] : []),
      ...this.#describe(paragraph, content),
      ...images,
      ...boxes,
      ...(isBrokenLater ? [pageBreak] : []),
    ];
  }

  #describe(paragraph: XmlElement, content: Inlines): readonly Item[] {
    if (plainText(content).trim() === "") return isRule(paragraph) ? [{ type: "rule" }] : [];
    const level = this.#styles.headingLevel(paragraph);
    if (level !== undefined) return [{ type: "heading", level: Math.min(level, 6), content }];
    const place = this.#numbering.place(paragraph, this.#styles);
    if (place !== undefined) return [{ type: "item", place, blocks: [{ type: "paragraph", content }] }];
    const names = this.#styles.chain(this.#styles.of(paragraph)).map(({ name }) => name);
    if (names.some((name) => /code|preformatted|verbatim/i.test(name))) {
      return [{ type: "code", text: plainText(content), language: undefined }];
    }
    const block: Block = { type: "paragraph", content };
    return names.some((name) => /quote|quotation/i.test(name))
      ? [{ type: "quote", blocks: [block] }]
      : [block];
  }

  #readTable(table: XmlElement): Block {
    const rows = rowsOf(table).map((row) => cellsOf(row).flatMap((cell) => this.#readCell(cell)));
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    const filled = rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => [])]);
    const [header = [], ...rest] = filled;
    return { type: "table", header: plainHeader(header), align: header.map(() => "left"), rows: rest };
  }

  /** A cell over several columns is followed by empty ones; one that goes on from the row above is empty. */
  #readCell(cell: XmlElement): readonly Inlines[] {
    const properties = childOf(cell, "w:tcPr");
    const merge = childOf(properties, "w:vMerge");
    const isContinued = merge !== undefined && attributeOf(merge, "w:val") !== "restart";
    const span = Number(attributeOf(childOf(properties, "w:gridSpan"), "w:val") ?? 1);
    const columns = Math.min(Math.max(Math.trunc(span) || 1, 1), 63);
    const content = isContinued ? [] : this.#cellContent(cell);
    return [content, ...Array.from({ length: columns - 1 }, () => [])];
  }

  #cellContent(cell: XmlElement): Inlines {
    const paragraphs = flowOf(cell).flatMap((element) =>
      hasTag(element, "w:tbl") ? flowIn(element) : [element],
    );
    const lines = paragraphs.map((paragraph) =>
      readPieces(paragraph, this.#file, this.#part).flatMap((piece) =>
        piece.type === "text" ? [piece.inline] : [],
      ),
    );
    const kept = lines.filter((line) => line.length > 0);
    return mergeInlines(kept.flatMap((line, index) => (index === 0 ? line : [{ text: "\n" }, ...line])));
  }
}

/** That the first row is bold says no more than that it is the first. */
function plainHeader(header: readonly Inlines[]): readonly Inlines[] {
  const isBold = header.every((cell) =>
    cell.every((inline) => inline.bold === true || inline.text.trim() === ""),
  );
  return isBold ? header.map((cell) => cell.map(({ bold: _, ...inline }) => inline)) : header;
}

function rowsOf(table: XmlElement): readonly XmlElement[] {
  return childrenOf(table).flatMap((child) => {
    if (hasTag(child, "w:tr")) return [child];
    return hasTag(child, "w:sdt") || hasTag(child, "w:sdtContent") ? rowsOf(child) : [];
  });
}

function cellsOf(row: XmlElement): readonly XmlElement[] {
  return childrenOf(row).flatMap((child) => {
    if (hasTag(child, "w:tc")) return [child];
    return hasTag(child, "w:sdt") || hasTag(child, "w:sdtContent") ? cellsOf(child) : [];
  });
}

/** A table in a cell is read as its paragraphs. */
function flowIn(table: XmlElement): readonly XmlElement[] {
  return rowsOf(table).flatMap((row) =>
    cellsOf(row).flatMap((cell) =>
      flowOf(cell).flatMap((element) => (hasTag(element, "w:tbl") ? flowIn(element) : [element])),
    ),
  );
}

function isBreak(piece: { readonly type: string }): boolean {
  return piece.type === "pageBreak";
}

function isOnBefore(paragraph: XmlElement): boolean {
  const toggle = descend(paragraph, "w:pPr", "w:pageBreakBefore");
  return toggle !== undefined && !["0", "false", "off"].includes(attributeOf(toggle, "w:val") ?? "1");
}

function isRule(paragraph: XmlElement): boolean {
  const borders = descend(paragraph, "w:pPr", "w:pBdr");
  return borders !== undefined && (childOf(borders, "w:bottom") ?? childOf(borders, "w:top")) !== undefined;
}

/** Word parts text into runs for its own reasons: neighbors of one style are one. */
function mergeInlines(content: readonly Inline[]): Inlines {
  const merged: Inline[] = [];
  for (const each of content) {
    const last = merged.at(-1);
    const isSame =
      last !== undefined &&
      (["bold", "italic", "code", "strike", "href"] as const).every((key) => last[key] === each[key]);
    if (isSame) merged[merged.length - 1] = { ...last, text: last.text + each.text };
    else merged.push(each);
  }
  return merged;
}

/** Lines of code and paragraphs of a quotation are one block each. */
function joinNeighbors(items: readonly Item[]): readonly Item[] {
  const joined: Item[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (last?.type === "code" && item.type === "code") {
      joined[joined.length - 1] = { ...last, text: `${last.text}\n${item.text}` };
    } else if (last?.type === "quote" && item.type === "quote") {
      joined[joined.length - 1] = { ...last, blocks: [...last.blocks, ...item.blocks] };
    } else joined.push(item);
  }
  return joined;
}
