import { type Blocks, type Inline, type Inlines, plainText } from "../shared/block.ts";

const DEFINITION = /\[\^([\w-]{1,40})\]:[ \t]+/;
export const REFERENCE: RegExp = /\[\^([\w-]{1,40})\](?!:)/;

export interface NotedBlocks {
  readonly blocks: Blocks;
  /** The text of each note that the blocks refer to, by its mark. */
  readonly notes: ReadonlyMap<string, Inlines>;
}

/**
 * Takes `[^1]: text` out of the blocks where `[^1]` refers to it. A definition without a reference stays a paragraph, and a
 * reference without a definition stays text, so that no text is lost.
 */
export function takeNotes(blocks: Blocks): NotedBlocks {
  const defined = new Map<string, Inlines>();
  const referred = new Set<string>();
  for (const inline of inlinesOf(blocks))
    if (inline.code !== true)
      for (const [, mark = ""] of inline.text.matchAll(new RegExp(REFERENCE, "g"))) referred.add(mark);
  const rest = blocks.flatMap((block) => {
    if (block.type !== "paragraph" || !startsNote(block.content)) return [block];
    return splitNotes(block.content).flatMap(({ mark, text, whole }) => {
      if (!referred.has(mark) || defined.has(mark)) return [{ ...block, content: whole }];
      defined.set(mark, text);
      return [];
    });
  });
  return { blocks: rest, notes: defined };
}

function startsNote(content: Inlines): boolean {
  return new RegExp(`^${DEFINITION.source}`).test(plainText(content));
}

interface Definition {
  readonly mark: string;
  readonly text: Inlines;
  readonly whole: Inlines;
}

/** Definitions on lines after each other are one paragraph to Markdown. */
function splitNotes(content: Inlines): readonly Definition[] {
  const notes: { mark: string; text: Inline[]; whole: Inline[] }[] = [];
  for (const inline of content) {
    const parts =
      inline.code === true ? [inline.text] : inline.text.split(new RegExp(`(?=${DEFINITION.source})`));
    // The mark is a group of the pattern, so a split lists it between the parts.
    for (const part of parts.filter((_, at) => inline.code === true || at % 2 === 0)) {
      const [head = "", mark] = (inline.code === true ? null : DEFINITION.exec(part)) ?? [];
      if (mark !== undefined) notes.push({ mark, text: [], whole: [] });
      notes.at(-1)?.text.push({ ...inline, text: part.slice(head.length) });
      notes.at(-1)?.whole.push({ ...inline, text: part });
    }
  }
  return notes;
}

function inlinesOf(blocks: Blocks): readonly Inline[] {
  return blocks.flatMap((block) => {
    switch (block.type) {
      case "heading":
      case "paragraph":
        return block.content;
      case "list":
        return block.items.flatMap(inlinesOf);
      case "table":
        return [block.header, ...block.rows].flat(2);
      case "quote":
        return inlinesOf(block.blocks);
      default:
        return [];
    }
  });
}
