import type { Block, Blocks, Inline, Inlines } from "../shared/block.ts";

/** Writes blocks as Markdown that reads back to the same blocks. */
export function toMarkdown(blocks: Blocks): string {
  return blocks.map((block, index) => writeBlock(block, marksFor(blocks, index))).join("\n\n");
}

/** Two lists in a row would be read as one, were it not for their marks. */
interface Marks {
  readonly bullet: string;
  readonly number: string;
}

const MARKS: Marks = { bullet: "-", number: "." };
const OTHER_MARKS: Marks = { bullet: "+", number: ")" };

function marksFor(blocks: Blocks, index: number): Marks {
  const isSame = (block: Block | undefined) =>
    block?.type === "list" && blocks[index]?.type === "list" && block.ordered === blocks[index].ordered;
  let first = index;
  while (isSame(blocks[first - 1])) first -= 1;
  return (index - first) % 2 === 0 ? MARKS : OTHER_MARKS;
}

function writeBlock(block: Block, marks: Marks): string {
  switch (block.type) {
    case "heading":
      return `${"#".repeat(block.level)} ${writeHeading(writeInlines(block.content))}`;
    case "paragraph":
      return writeLines(writeInlines(block.content));
    case "list":
      return block.items
        .map((item, at) =>
          writeItem(item, block.ordered ? `${block.start + at}${marks.number}` : marks.bullet),
        )
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
      // Dashes would make a heading of a line above, or of a list item no item.
      return "***";
    case "pageBreak":
      return "<!-- pagebreak -->";
  }
}

/** A line by itself would begin a block, or end one; without a word it would end the paragraph. */
function writeLines(text: string): string {
  const lines = text
    .trim()
    .split("\n")
    .map((line) => escapeStart(line.trim()));
  return lines
    .map((line) => (line === "" ? "\\" : `${line}  `))
    .join("\n")
    .trimEnd();
}

/** Marks at the end would close the heading and go. */
function writeHeading(text: string): string {
  return text
    .replaceAll("\n", " ")
    .trim()
    .replace(/(?<!\S)#+$/, "\\$&");
}

function writeItem(item: Blocks, mark: string): string {
  const inner = item.map((block, index) => {
    const isTight = index === 0 || (block.type === "list" && (!block.ordered || block.start === 1));
    return `${isTight ? "\n" : "\n\n"}${writeBlock(block, marksFor(item, index))}`;
  });
  return indent(inner.join("").slice(1), " ".repeat(mark.length + 1)).replace(/^ */, `${mark} `);
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
  const fence = "`".repeat(Math.max(3, longestRun(text, /`{3,}/g) + 1));
  return `${fence}${language?.replaceAll("`", "") ?? ""}\n${text}\n${fence}`;
}

function longestRun(text: string, mark: RegExp): number {
  return [...text.matchAll(mark)].reduce((most, [run]) => Math.max(most, run.length), 0);
}

function writeInlines(content: Inlines): string {
  const pieces = content.flatMap(cutCode).map(writeInline);
  return pieces.reduce((text, piece) => {
    // Side by side, these would be a picture, and a link.
    if (text.endsWith("!") && piece.startsWith("[")) return `${text.slice(0, -1)}\\!${piece}`;
    return text.endsWith("]") && piece.startsWith("(") ? `${text}\\${piece}` : text + piece;
  }, "");
}

/** Code has no escapes, so each line becomes a separate code span. */
function cutCode(inline: Inline): Inlines {
  if (inline.code !== true || !inline.text.includes("\n")) return [inline];
  return inline.text.split(/(\n)/).map((text) => ({ ...inline, text }));
}

/** A mark closes only next to a letter, so blanks go outside. */
function writeInline({ text, bold, italic, code, strike, href }: Inline): string {
  const [, before = "", inner = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  if (inner === "") return text;
  let marked = code === true ? writeSpan(inner) : escapeText(inner);
  if (strike === true) marked = `~~${marked}~~`;
  if (italic === true) marked = `*${marked}*`;
  if (bold === true) marked = `**${marked}**`;
  if (href !== undefined) marked = `[${marked}](${href.replace(/[\s()]/g, percentEncode)})`;
  return `${before}${marked}${after}`;
}

/** A mark that is longer than any in the code, and apart from one at its ends. */
function writeSpan(code: string): string {
  const mark = "`".repeat(longestRun(code, /`+/g) + 1);
  const blank = /^`|`$/.test(code) ? " " : "";
  return `${mark}${blank}${code}${blank}${mark}`;
}

/** In an address these would end it. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`;
}

/** Marks of notes, such as `[^2]`, are no links, and stay as they are. */
function escapeText(text: string): string {
  return text.replace(/\[\^\w{1,12}\](?!\()|[\\`*_[\]<~]|&(?=#?\w+;)/g, (mark) =>
    mark.startsWith("[^") ? mark : `\\${mark}`,
  );
}

/** What would begin a heading, a list, a quotation or a table, or make a heading of the line above. */
function escapeStart(line: string): string {
  return line.replace(/^([#>+|-]|:(?=-)|=(?==*$))/, "\\$1").replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

function indent(text: string, prefix: string): string {
  const lines = text.split("\n");
  return lines.map((line) => (line === "" ? prefix.trimEnd() : `${prefix}${line}`)).join("\n");
}
