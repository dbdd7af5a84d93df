import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, type Blocks, type Inline, plainText } from "../shared/block.ts";
import { parseMarkdown } from "../shared/markdown.ts";
import { toMarkdown } from "./markdown-writer.ts";

/** Words with the marks of Markdown in them. */
const words = fc
  .array(
    fc.string({
      unit: fc.constantFrom(
        "a",
        "é",
        "*",
        "_",
        "`",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "#",
        "-",
        "1",
        ".",
        "\\",
        "|",
        "~",
        "!",
      ),
      minLength: 1,
      maxLength: 6,
    }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(" "));

test("a paragraph of any characters reads back as the same text in one paragraph [S-40]", () => {
  fc.assert(
    fc.property(words, (text) => {
      const blocks = parseMarkdown(toMarkdown([{ type: "paragraph", content: [{ text }] }]));
      expect(blocks).toHaveLength(1);
      const [block] = blocks;
      expect(block?.type === "paragraph" ? plainText(block.content) : block).toBe(text);
    }),
  );
});

const styled: readonly Inline[] = [
  { text: "plain " },
  { text: "bold ", bold: true },
  { text: "both", bold: true, italic: true },
  { text: " and " },
  { text: "code", code: true },
  { text: ", " },
  { text: "link", href: "https://example.com/a(b)" },
];

test("style markers surround words, with spaces outside [S-40]", () => {
  expect(toMarkdown([{ type: "paragraph", content: styled }])).toBe(
    "plain **bold** ***both*** and `code`, [link](https://example.com/a%28b%29)",
  );
});

test("a fence is longer than any in the code [S-40]", () => {
  const code = "```\ninner\n```";
  expect(parseMarkdown(toMarkdown([{ type: "code", text: code, language: "md" }]))).toEqual([
    { type: "code", text: code, language: "md" },
  ]);
});

test.each([
  "===",
  "=",
  "---",
  "-",
  "# a",
  "- a",
  "+ a",
  "1. a",
  "2) a",
  "> a",
  ":-- | --",
  "| a |",
  "```",
  "",
  "\\",
])("a line of %j after a line break stays in its paragraph [S-40]", (line) => {
  const content = [{ text: `x | y\n${line}\nz` }];
  expect(parseMarkdown(toMarkdown([{ type: "paragraph", content }]))).toEqual([
    { type: "paragraph", content },
  ]);
});

test("note markers stay unchanged and do not become links [S-40]", () => {
  const content: readonly Inline[] = [
    { text: "a[^1] b[^e2](c) [^3]" },
    { text: "(d)", bold: true },
    { text: "(e)" },
  ];
  const text = toMarkdown([{ type: "paragraph", content }]);
  expect(text).toBe("a[^1] b\\[^e2\\](c) [^3]**(d)**(e)");
  const note: Block = { type: "paragraph", content: [{ text: "[^1]" }, { text: "(f)" }] };
  expect(parseMarkdown(toMarkdown([note]))).toEqual([{ type: "paragraph", content: [{ text: "[^1](f)" }] }]);
});

test("keeps line breaks in quotations and items, and code on each of its lines [S-40]", () => {
  const paragraph: Block = {
    type: "paragraph",
    content: [{ text: "a\n" }, { text: "- `b`\n# c", code: true }],
  };
  const blocks: Blocks = [
    { type: "quote", blocks: [paragraph] },
    { type: "list", ordered: false, start: 1, items: [[paragraph, paragraph]] },
    { type: "list", ordered: false, start: 1, items: [[{ type: "rule" }], []] },
  ];
  const read = parseMarkdown(toMarkdown(blocks));
  expect(outline(read)).toEqual(outline(blocks));
  expect(toMarkdown(read)).toContain("> a  \n> `` - `b` ``  \n> `# c`");
});

/** All that begins, ends or interrupts a block, between words. */
const source = fc
  .array(
    fc.constantFrom(
      ...["a", "b c", " ", "\n", "\n\n", "  \n", "\\\n", "- ", "+ ", "1. ", "7) ", "# ", "## ", "> ", "    "],
      ...[
        "***",
        "---",
        "===",
        "=",
        "-",
        "#",
        "|",
        "|---|",
        ":-",
        "\n| a | b |\n|---|---|\n| 1 |",
        "`",
        "```\n",
      ],
      ...[" **d** ", " *e* ", " ~~f~~ ", " `g` ", "[h](i)", "![j](k.png)", "<", "!", "\\", "&", ".", "1"],
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));

test("any Markdown reads the same after it was written [S-40]", () => {
  fc.assert(
    fc.property(source, (text) => {
      const blocks = parseMarkdown(text);
      expect(outline(parseMarkdown(toMarkdown(blocks)))).toEqual(outline(blocks));
    }),
    { numRuns: 300 },
  );
});

/** Blocks with their words: how many blanks are between them, and inside or outside of a style, is not kept. */
function outline(blocks: Blocks): unknown {
  return blocks.map((block) => {
    switch (block.type) {
      case "heading":
        return [block.type, block.level, wordsOf(block.content).filter((word) => word !== "\n")];
      case "paragraph":
        return [block.type, wordsOf(block.content)];
      case "list":
        return [block.type, block.ordered, block.start, block.items.map(outline)];
      case "table":
        return [block.type, block.header.map(wordsOf), block.rows.map((row) => row.map(wordsOf))];
      case "quote":
        return [block.type, outline(block.blocks)];
      case "code":
        return [block.type, block.text];
      default:
        return block;
    }
  });
}

function wordsOf(content: readonly Inline[]): readonly string[] {
  const text = content.map((each) =>
    each.text.replace(/[^\s]+/g, (word) => (each.code === true ? `code:${word}` : word)),
  );
  return text
    .join("")
    .trim()
    .split(/(\n)|[^\S\n]+/)
    .filter((word) => word !== undefined && word !== "");
}
