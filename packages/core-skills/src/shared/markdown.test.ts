import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, type Blocks, plainText } from "./block.ts";
import { parseMarkdown } from "./markdown.ts";
import { parseInline } from "./markdown-inline.ts";

test("distinguishes blocks [S-40]", () => {
  const types = parseMarkdown(
    "# Title\n\ntext\nmore\n\n- a\n- b\n\n1. c\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n```js\n# no heading\n```\n" +
      "> quote\n\n---\n\n![Alt](pic.png)\n\n<!-- pagebreak -->\n\\newpage\n",
  ).map(({ type }) => type);
  const expected = "heading paragraph list list table code quote rule image pageBreak pageBreak";
  expect(types).toEqual(expected.split(" "));
});

test("lists nest by indentation, and an item may contain several blocks [S-40]", () => {
  const [list] = parseMarkdown("3. one\n   carried on\n   - inner\n   - inner two\n\n   more\n4. two\n");
  expect(list).toMatchObject({ type: "list", ordered: true, start: 3 });
  expect(list).toMatchObject({
    items: [
      [
        { type: "paragraph", content: [{ text: "one carried on" }] },
        { type: "list", items: [[{}], [{}]] },
        {},
      ],
      [{ type: "paragraph", content: [{ text: "two" }] }],
    ],
  });
});

test("every table row has as many cells as the header [S-40]", () => {
  const [table] = parseMarkdown("| a | b\\|c |\n|:-:|---|\n| 1 |\n| 1 | 2 | 3 |\n");
  expect(table).toMatchObject({ align: ["center", "left"] });
  if (table?.type !== "table") throw new Error("no table");
  expect(table.header.map(plainText)).toEqual(["a", "b|c"]);
  expect(table.rows.map((row) => row.map(plainText))).toEqual([
    ["1", ""],
    ["1", "2"],
  ]);
});

test("styles nest, and unclosed markers are text [S-40]", () => {
  expect(parseInline("a **b *c*** `d*` [e](http://f) ~~g~~ \\*h* snake_case_name")).toEqual([
    { text: "a " },
    { text: "b ", bold: true },
    { text: "c", bold: true, italic: true },
    { text: " " },
    { text: "d*", code: true },
    { text: " " },
    { text: "e", href: "http://f" },
    { text: " " },
    { text: "g", strike: true },
    { text: " *h* snake_case_name" },
  ]);
  expect(parseInline("2 * 3 * 4 and **open")).toEqual([{ text: "2 * 3 * 4 and **open" }]);
});

test("keeps all letters of a text in their order [S-40]", () => {
  const words = fc.array(fc.constantFrom("a", "b", " ", "*", "**", "_", "`", "[", "]", "~~", "\\", "<"), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(words, (parts) => {
      const text = parts.join("");
      const letters = (value: string) => value.replace(/[^ab]/g, "");
      const whole = parseInline(text).map((each) => each.text + (each.href ?? ""));
      expect(letters(whole.join(""))).toBe(letters(text));
    }),
  );
});

test("follows CommonMark [S-40]", () => {
  expect(parseMarkdown("Title\n=====\n\nPart\n----\n")).toMatchObject([
    { type: "heading", level: 1 },
    { type: "heading", level: 2 },
  ]);
  expect(parseMarkdown("    indented\n\n````md\n```\tx\n````\n")).toEqual([
    { type: "code", text: "indented", language: undefined },
    { type: "code", text: "```    x", language: "md" },
  ]);
  expect(parseMarkdown("> quote\nthat goes on\n")).toEqual([
    { type: "quote", blocks: [{ type: "paragraph", content: [{ text: "quote that goes on" }] }] },
  ]);
  expect(parseMarkdown("one  \ntwo\\\nthree\nfour")).toEqual([
    { type: "paragraph", content: [{ text: "one\ntwo\nthree four" }] },
  ]);
  expect(parseMarkdown("In 1999\n2000. came")).toHaveLength(1);
  expect(parseMarkdown("* a\n* b\n\n- c\n")).toHaveLength(2);
});

test("reads links in every form [S-40]", () => {
  const [paragraph] = parseMarkdown(
    '[a](http://x/(y) "title") [b][ref] [ref] <http://z> www.w.org\n\n[ref]: http://r\n',
  );
  if (paragraph?.type !== "paragraph") throw new Error("no paragraph");
  expect(paragraph.content.filter(({ text }) => text !== " ")).toEqual([
    { text: "a", href: "http://x/(y)" },
    { text: "b", href: "http://r" },
    { text: "ref", href: "http://r" },
    { text: "http://z", href: "http://z" },
    { text: "www.w.org", href: "http://www.w.org" },
  ]);
  expect(parseInline("`` a`b `` and *a*b, **a**b")).toEqual([
    { text: "a`b", code: true },
    { text: " and " },
    { text: "a", italic: true },
    { text: "b, " },
    { text: "a", bold: true },
    { text: "b" },
  ]);
});

test("decodes character references, but not in code, after a backslash or as controls [S-40]", () => {
  expect(
    parseInline("&copy; &#8364;&#x41; &amp;lt; &nope; &#0;&#1;&#xD800;&#9999999; \\&lt; `&lt;`"),
  ).toEqual([{ text: "© €A &lt; &nope; \uFFFD\uFFFD\uFFFD\uFFFD &lt; " }, { text: "&lt;", code: true }]);
  expect(parseInline("&constructor; &toString;")).toEqual([{ text: "&constructor; &toString;" }]);
});

test("HTML is plain text [S-40]", () => {
  expect(parseMarkdown('<div onclick="x">\n**a**\n</div>\n\nb <br> <i>c</i> <!-- d -->')).toEqual([
    { type: "paragraph", content: [{ text: '<div onclick="x">\n**a**\n</div>' }] },
    { type: "paragraph", content: [{ text: "b <br> <i>c</i> <!-- d -->" }] },
  ]);
});

test("tasks and footnotes stay as text [S-40]", () => {
  expect(parseMarkdown("- [ ] open **now**\n- [x] done\n\n[^1]: note\n")).toEqual([
    {
      type: "list",
      ordered: false,
      start: 1,
      items: [
        [{ type: "paragraph", content: [{ text: "[ ] open " }, { text: "now", bold: true }] }],
        [{ type: "paragraph", content: [{ text: "[x] done" }] }],
      ],
    },
    { type: "paragraph", content: [{ text: "[^1]: note" }] },
  ]);
});

test("an image on its own line is a block, and elsewhere its alternative text [S-40]", () => {
  expect(
    parseMarkdown("before\n![A *b*](my%20file.png)\n![](<c d.png>)\nafter ![icon](i.png), ![](j.png)"),
  ).toEqual([
    { type: "paragraph", content: [{ text: "before" }] },
    { type: "image", path: "my file.png", alt: "A b" },
    { type: "image", path: "c d.png", alt: "" },
    { type: "paragraph", content: [{ text: "after icon, j.png" }] },
  ]);
});

test("a page break ends a paragraph, and is text in code [S-40]", () => {
  const types = (text: string) => parseMarkdown(text).map(({ type }) => type);
  const expected = ["paragraph", "pageBreak", "paragraph"];
  expect(types("a\n<!-- pagebreak -->\nb")).toEqual(expected);
  expect(types("a\n\\newpage\nb")).toEqual(expected);
  expect(types("a\n\\pagebreak\n---\n")).toEqual(["paragraph", "pageBreak", "rule"]);
  expect(types("```\n\\newpage\n```")).toEqual(["code"]);
  expect(types("write \\newpage for it")).toEqual(["paragraph"]);
});

test("very deeply nested markup is text [S-40]", () => {
  const depth = (blocks: Blocks): number =>
    1 + Math.max(0, ...blocks.map((block) => (block.type === "quote" ? depth(block.blocks) : 0)));
  const quotes = parseMarkdown(`${">".repeat(15_000)} deep`);
  expect(depth(quotes)).toBeLessThan(20);
  expect(JSON.stringify(quotes)).toContain("deep");
  expect(JSON.stringify(parseMarkdown(`${"- ".repeat(5000)}deep`))).toContain("deep");
  expect(plainText(parseInline(`${"*a **b ".repeat(500)}deep${" b** a*".repeat(500)}`))).toContain("deep");
});

test.each([
  ["brackets", "[".repeat(50_000)],
  ["brackets in pairs", "[".repeat(25_000) + "]".repeat(25_000)],
  ["open links", "[a](".repeat(12_000)],
  ["exclamation marks", "!".repeat(50_000)],
  ["stars", "*a **b ".repeat(7000)],
  ["ticks", "`a ``b ".repeat(7000)],
  ["blanks", `a${" ".repeat(300_000)}b`],
  ["comments", "x <!--".repeat(8000)],
  ["tasks", "- [ ] a\n".repeat(5000)],
  ["addresses", "a.".repeat(25_000)],
])("a text of only %s ends with all its letters [S-40]", (_, text) => {
  const letters = (value: string) => value.replace(/[^ab]/g, "").length;
  expect(letters(JSON.stringify(parseMarkdown(text).map(textsOf)))).toBe(letters(text));
});

test("rejects text that is too long with a reason [S-40]", () => {
  const long = (text: string) => () => parseMarkdown(text);
  expect(long("[".repeat(1_000_001))).toThrow(/1000001 characters; at most 1000000/);
  expect(() => parseInline("a".repeat(1_000_001))).toThrow(/1000001 characters/);
  expect(long("> - a\nb\n".repeat(10_000))).toThrow(/a quotation of \d+ characters/);
  const columns = 500;
  expect(long(`${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|\n".repeat(1000)}`)).toThrow(
    /more than 200000 texts and cells/,
  );
});

/** The texts of a block, without the names of its fields. */
function textsOf(block: Block): unknown {
  if (block.type === "paragraph") return plainText(block.content);
  if (block.type === "list") return block.items.map((item) => item.map(textsOf));
  throw new Error(`${block.type} is not expected here`);
}
