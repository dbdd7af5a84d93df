import { type Block, type Blocks, type Inlines, plainText } from "../shared/block.ts";

/** Writes blocks as plain text: a line a paragraph, tables with tabs. */
export function toText(blocks: Blocks): string {
  return blocks.map(writeBlock).join("\n");
}

function writeBlock(block: Block): string {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return plainText(block.content);
    case "list":
      return block.items
        .map((item, index) => `${block.ordered ? `${block.start + index}.` : "-"} ${indent(toText(item))}`)
        .join("\n");
    case "table":
      return [block.header, ...block.rows].map((row) => row.map(toCell).join("\t")).join("\n");
    case "code":
      return block.text;
    case "quote":
      return toText(block.blocks);
    case "image":
      return `[image: ${block.alt || block.path}]`;
    case "rule":
      return "";
    case "pageBreak":
      return "\f";
  }
}

function toCell(content: Inlines): string {
  return plainText(content).replace(/\s+/g, " ").trim();
}

function indent(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
