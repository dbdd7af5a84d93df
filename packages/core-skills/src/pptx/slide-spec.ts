import { type Block, type Blocks, type Inlines, plainText } from "../shared/block.ts";

/** A slide to be made. */
export interface SlideSpec {
  readonly kind: "title" | "section" | "content";
  /** The name of a layout; by default the content of the slide decides. */
  readonly layout?: string | undefined;
  readonly title: Inlines;
  readonly lines: readonly SpecLine[];
  readonly objects: readonly SpecObject[];
  readonly notes: string;
}

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
  readonly kind: ChartKind;
  readonly title: string;
  readonly categories: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Six hexadecimal digits each; by default the accent colors of the deck. */
  readonly colors?: readonly string[] | undefined;
}

export const chartKinds = ["column", "bar", "line", "area", "pie", "doughnut"] as const;
export type ChartKind = (typeof chartKinds)[number];

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
  const { lines, objects } = toBody(shown);
  const isPlain = objects.length === 0 && lines.every(({ mark }) => mark === "none");
  const isTop = isTitled && head.level === 1 && isPlain;
  return {
    kind: isTop ? (isFirst ? "title" : "section") : "content",
    title: isTitled ? head.content : [],
    lines,
    objects,
    notes,
  };
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
