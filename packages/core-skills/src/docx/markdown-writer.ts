import type { Block, Blocks, Inline, Inlines } from "../shared/block.ts";

/** Writes blocks as Markdown that reads back to the same blocks. */
export function toMarkdown(blocks: Blocks): string {
  return blocks.map(writeBlock).join("\n\n");
}

function writeBlock(block: Block): string {
  switch (block.type) {
    case "heading":
      return `${"#".repeat(block.level)} ${writeInlines(block.content).replaceAll("\n", " ").trim()}`;
    case "paragraph":
      return escapeStart(writeInlines(block.content)).replaceAll("\n", "  \n");
    case "list":
      return block.items
        .map((item, index) => writeItem(item, block.ordered ? `${block.start + index}.` : "-"))
        .join("\n");
    case "table":
      return writeTable(block.header, block.rows);
    case "code":
      return writeCode(block.text, block.language);
    case "quote":
      return indent(toMarkdown(block.blocks), "> ");
    case "image":
      return `![${block.alt.replace(/[[\]\s]+/g, " ").trim()}](${encodeURI(block.path)})`;
    case "rule":
      return "---";
    case "pageBreak":
      return "<!-- pagebreak -->";
  }
}

function writeItem(item: Blocks, mark: string): string {
  const inner = item.map(writeBlock).join("\n");
  return `${mark} ${inner.replaceAll("\n", `\n${" ".repeat(mark.length + 1)}`)}`;
}

function writeTable(header: readonly Inlines[], rows: readonly (readonly Inlines[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const cell = (content: Inlines) =>
    writeInlines(content).replaceAll("|", "\\|").replaceAll("\n", " ").trim();
  return [
    line(header.map(cell)),
    line(header.map(() => "---")),
    ...rows.map((row) => line(row.map(cell))),
  ].join("\n");
}

function writeCode(text: string, language: string | undefined): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language ?? ""}\n${text}\n${fence}`;
}

function writeInlines(content: Inlines): string {
  return content.map(writeInline).join("");
}

/** A mark closes only next to a letter, so blanks go outside. */
function writeInline({ text, bold, italic, code, strike, href }: Inline): string {
  const [, before = "", inner = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  if (inner === "") return text;
  const isCode = code === true && !inner.includes("`");
  let marked = isCode ? `\`${inner}\`` : escapeText(inner);
  if (strike === true) marked = `~~${marked}~~`;
  if (italic === true) marked = `*${marked}*`;
  if (bold === true) marked = `**${marked}**`;
  if (href !== undefined) marked = `[${marked}](${href.replace(/[\s()]/g, percentEncode)})`;
  return `${before}${marked}${after}`;
}

/** In an address these would end it. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`;
}

function escapeText(text: string): string {
  return text.replace(/[\\`*_[\]<~]|&(?=#?\w+;)/g, "\\$&");
}

/** What would begin a heading, a list or a quotation. */
function escapeStart(text: string): string {
  return text.replace(/^(\s*)([#>+-]|\|)/, "$1\\$2").replace(/^(\s*\d{1,9})([.)])/, "$1\\$2");
}

function indent(text: string, prefix: string): string {
  return text
    .split("\n")
    .map((line) => `${prefix}${line}`.trimEnd())
    .join("\n");
}
