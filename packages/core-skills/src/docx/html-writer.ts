import type { Block, Blocks, Inline, Inlines } from "../shared/block.ts";
import { escapeXml } from "../shared/xml.ts";

/** Writes blocks as HTML: structure alone, without styles or scripts. */
export function toHtml(blocks: Blocks): string {
  return blocks.map(writeBlock).join("\n");
}

function writeBlock(block: Block): string {
  switch (block.type) {
    case "heading":
      return `<h${block.level}>${writeInlines(block.content)}</h${block.level}>`;
    case "paragraph":
      return `<p>${writeInlines(block.content)}</p>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      const start = block.ordered && block.start !== 1 ? ` start="${block.start}"` : "";
      return `<${tag}${start}>${block.items.map((item) => `<li>${writeItem(item)}</li>`).join("")}</${tag}>`;
    }
    case "table":
      return `<table><thead>${writeRow(block.header, "th")}</thead><tbody>${block.rows
        .map((row) => writeRow(row, "td"))
        .join("")}</tbody></table>`;
    case "code":
      return `<pre><code>${escapeXml(block.text)}</code></pre>`;
    case "quote":
      return `<blockquote>${toHtml(block.blocks)}</blockquote>`;
    case "image":
      return `<img src="${escapeXml(block.path)}" alt="${escapeXml(block.alt)}">`;
    case "rule":
      return "<hr>";
    case "pageBreak":
      return "<!-- pagebreak -->";
  }
}

/** The first paragraph of an item stands without its tags. */
function writeItem(item: Blocks): string {
  const [first, ...rest] = item;
  if (first?.type !== "paragraph") return toHtml(item);
  return [writeInlines(first.content), ...rest.map(writeBlock)].join("");
}

function writeRow(cells: readonly Inlines[], tag: "th" | "td"): string {
  return `<tr>${cells.map((cell) => `<${tag}>${writeInlines(cell)}</${tag}>`).join("")}</tr>`;
}

function writeInlines(content: Inlines): string {
  return content.map(writeInline).join("");
}

function writeInline({ text, bold, italic, code, strike, href }: Inline): string {
  let html = escapeXml(text).replaceAll("\n", "<br>");
  if (code === true) html = `<code>${html}</code>`;
  if (strike === true) html = `<s>${html}</s>`;
  if (italic === true) html = `<em>${html}</em>`;
  if (bold === true) html = `<strong>${html}</strong>`;
  // A link with an unsafe scheme becomes text.
  const isSafe = href !== undefined && /^(?:https?:|mailto:|tel:|#)/i.test(href);
  return isSafe ? `<a href="${escapeXml(href)}">${html}</a>` : html;
}
