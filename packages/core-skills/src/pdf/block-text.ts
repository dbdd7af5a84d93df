import type { Block, Blocks, Inlines } from "../shared/block.ts";

/** All that will be drawn of a block. Blanks of every kind are drawn as one kind. */
export function textsOf(block: Block): readonly string[] {
  const plain = (content: Inlines) => content.map(({ text }) => text.replace(/\s/g, " "));
  switch (block.type) {
    case "heading":
    case "paragraph":
      return plain(block.content);
    case "list":
      return block.items.flatMap((item) => item.flatMap(textsOf));
    case "table":
      return [block.header, ...block.rows].flatMap((row) => row.flatMap(plain));
    case "code":
      return [block.text.replace(/[\n\t]/g, " ")];
    case "quote":
      return block.blocks.flatMap(textsOf);
    default:
      return [];
  }
}

export function replaceCharacters(blocks: Blocks, missing: readonly string[], replacement: string): Blocks {
  const gone = new Set(missing);
  const mend = (text: string) => Array.from(text, (each) => (gone.has(each) ? replacement : each)).join("");
  const content = (inlines: Inlines) => inlines.map((inline) => ({ ...inline, text: mend(inline.text) }));
  return blocks.map((block): Block => {
    switch (block.type) {
      case "heading":
      case "paragraph":
        return { ...block, content: content(block.content) };
      case "list":
        return { ...block, items: block.items.map((item) => replaceCharacters(item, missing, replacement)) };
      case "table":
        return {
          ...block,
          header: block.header.map(content),
          rows: block.rows.map((row) => row.map(content)),
        };
      case "code":
        return { ...block, text: mend(block.text) };
      case "quote":
        return { ...block, blocks: replaceCharacters(block.blocks, missing, replacement) };
      default:
        return block;
    }
  });
}
