import { type Block, type Blocks, type Inline, type Inlines, plainText } from "../shared/block.ts";
import type { ChartType } from "../shared/chart-xml.ts";

/** A slide to be made. */
export interface SlideSpec {
  readonly kind: SlideKind;
  /** The name of a layout; by default the content of the slide decides. */
  readonly layout?: string | undefined;
  readonly title: Inlines;
  readonly lines: readonly SpecLine[];
  readonly objects: readonly SpecObject[];
  /** The source of a quote, or the meaning of a number. */
  readonly caption?: readonly SpecLine[] | undefined;
  /** Two columns instead of lines and objects. */
  readonly columns?: readonly SpecColumn[] | undefined;
  readonly notes: string;
}

export interface SpecColumn {
  readonly heading: Inlines;
  readonly lines: readonly SpecLine[];
  readonly objects: readonly SpecObject[];
}

export const slideKinds = [
  "title",
  "section",
  "content",
  "agenda",
  "columns",
  "picture",
  "quote",
  "number",
  "closing",
] as const;
export type SlideKind = (typeof slideKinds)[number];

export interface SpecLine {
  /** From 0. */
  readonly level: number;
  readonly mark: "bullet" | "number" | "none";
  readonly content: Inlines;
}

export type SpecObject = (
  | Extract<Block, { type: "table" }>
  | Extract<Block, { type: "image" }>
  | ({ readonly type: "chart" } & ChartSpec)
) & {
  /** Where it goes; by default the layout and the other objects decide. */
  readonly place?: Place | undefined;
};

/** In centimeters from the upper left corner of the slide. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ChartSpec {
  readonly kind: ChartType;
  readonly title: string;
  /** Empty for a scatter chart. */
  readonly categories: readonly string[];
  /** The categories are days, such as 2026-01-31, on an axis of time. */
  readonly isDated: boolean;
  readonly series: readonly {
    readonly name: string;
    /** Null leaves a gap. */
    readonly values: readonly (number | null)[];
    /** The horizontal values of a scatter chart. */
    readonly x?: readonly (number | null)[] | undefined;
  }[];
  /** Six hexadecimal digits each; by default the accent colors of the deck. */
  readonly colors?: readonly string[] | undefined;
}

/**
 * Makes slides of a document: each heading of the first two levels begins one, and so does a rule. The text after a
 * paragraph that begins with `Notes:` is for the speaker.
 */
export function toSlides(blocks: Blocks): readonly SlideSpec[] {
  const groups: Block[][] = [];
  let isOpen = false;
  for (const block of blocks) {
    const isHeading = block.type === "heading" && block.level <= 2;
    const isBreak = block.type === "rule" || block.type === "pageBreak";
    if (isBreak) {
      isOpen = false;
      continue;
    }
    const last = groups.at(-1);
    if (isOpen && !isHeading && last !== undefined) last.push(block);
    else groups.push([block]);
    isOpen = true;
  }
  return groups.map((group, index) => toSlide(group, index === 0));
}

function toSlide(group: Blocks, isFirst: boolean): SlideSpec {
  const [head, ...rest] = group;
  const isTitled = head?.type === "heading" && head.level <= 2;
  const { shown, notes } = splitNotes(isTitled ? rest : group);
  const title = isTitled ? head.content : [];
  const [quote] = shown;
  if (shown.length === 1 && quote?.type === "quote")
    return { ...toQuote(toBody(quote.blocks).lines), title, notes };
  const columns = toColumns(shown);
  if (columns !== undefined) return { kind: "columns", title, lines: [], objects: [], columns, notes };
  const { lines, objects } = toBody(shown);
  const isPlain = objects.length === 0 && lines.every(({ mark }) => mark === "none");
  const isTop = isTitled && head.level === 1 && isPlain;
  return {
    kind: isTop ? (isFirst ? "title" : "section") : "content",
    title,
    lines,
    objects,
    notes,
  };
}

/** The source of a quote comes after a dash: on the last line, or after the last sentence. */
function toQuote(all: readonly SpecLine[]): Pick<SlideSpec, "kind" | "lines" | "objects" | "caption"> {
  const lines = all.flatMap(splitLine);
  const last = lines.at(-1);
  const isSource = lines.length > 1 && last !== undefined && DASH.test(plainText(last.content));
  return {
    kind: "quote",
    lines: isSource ? lines.slice(0, -1) : lines,
    objects: [],
    caption: isSource ? [{ ...last, content: withoutDash(last.content) }] : undefined,
  };
}

const DASH = /^\s*(?:[—–]|--)\s*/;

function withoutDash([first, ...rest]: Inlines): Inlines {
  return first === undefined ? [] : [{ ...first, text: first.text.replace(DASH, "") }, ...rest];
}

/** A line break begins another line, and so does a dash after a sentence. */
function splitLine(line: SpecLine): readonly SpecLine[] {
  const lines: Inline[][] = [[]];
  for (const inline of line.content) {
    for (const [index, text] of inline.text.split(/\n|(?<=[.!?…"”’])\s+(?=(?:[—–]|--)\s*\S)/).entries()) {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ ...inline, text });
    }
  }
  return lines.filter((content) => content.length > 0).map((content) => ({ ...line, content }));
}

/** Two headings of the third level, with content below each, are two columns. */
function toColumns(blocks: Blocks): readonly SpecColumn[] | undefined {
  const starts = blocks.flatMap((block, index) =>
    block.type === "heading" && block.level === 3 ? [index] : [],
  );
  const [first, second] = starts;
  if (starts.length !== 2 || first !== 0 || second === undefined) return undefined;
  const columns = [blocks.slice(0, second), blocks.slice(second)].map(([head, ...rest]) => ({
    heading: head?.type === "heading" ? head.content : [],
    ...toBody(rest),
  }));
  return columns.every(({ lines, objects }) => lines.length + objects.length > 0) ? columns : undefined;
}

function splitNotes(blocks: Blocks): { readonly shown: Blocks; readonly notes: string } {
  const at = blocks.findIndex((block) => block.type === "paragraph" && NOTES.test(plainText(block.content)));
  if (at === -1) return { shown: blocks, notes: "" };
  const { lines } = toBody(blocks.slice(at));
  const notes = lines.map(({ content }) => plainText(content)).join("\n");
  return { shown: blocks.slice(0, at), notes: notes.replace(NOTES, "").trim() };
}

const NOTES = /^\s*notes?:\s*/i;

/** Separates the text lines from the objects that need their own position. */
export function toBody(blocks: Blocks, level = 0): Pick<SlideSpec, "lines" | "objects"> {
  const parts = blocks.map((block) => bodyOf(block, level));
  return { lines: parts.flatMap(({ lines }) => lines), objects: parts.flatMap(({ objects }) => objects) };
}

function bodyOf(block: Block, level: number): Pick<SlideSpec, "lines" | "objects"> {
  const only = (...lines: readonly SpecLine[]) => ({ lines, objects: [] });
  switch (block.type) {
    case "heading":
      return only({ level, mark: "none", content: block.content.map((each) => ({ ...each, bold: true })) });
    case "paragraph":
      return only({ level, mark: "none", content: block.content });
    case "list":
      return listBody(block, level);
    case "code":
      return only(
        ...block.text
          .split("\n")
          .map((text): SpecLine => ({ level, mark: "none", content: [{ text, code: true }] })),
      );
    case "quote": {
      const inner = toBody(block.blocks, level);
      const lines = inner.lines.map((line) => ({
        ...line,
        content: line.content.map((each) => ({ ...each, italic: true })),
      }));
      return { ...inner, lines };
    }
    case "table":
    case "image":
      return { lines: [], objects: [block] };
    case "rule":
    case "pageBreak":
      return only();
  }
}

function listBody(
  block: Extract<Block, { type: "list" }>,
  level: number,
): Pick<SlideSpec, "lines" | "objects"> {
  const mark = block.ordered ? "number" : "bullet";
  const parts = block.items.map(([first, ...rest]) => {
    const isText = first?.type === "paragraph";
    const head: SpecLine = { level: Math.min(level, 8), mark, content: isText ? first.content : [] };
    const inner = toBody(isText || first === undefined ? rest : [first, ...rest], Math.min(level + 1, 8));
    return { lines: [head, ...inner.lines], objects: inner.objects };
  });
  return { lines: parts.flatMap(({ lines }) => lines), objects: parts.flatMap(({ objects }) => objects) };
}
