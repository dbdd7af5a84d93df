import fc from "fast-check";
import { expect, test } from "vitest";
import { type Inline, plainText } from "../shared/block.ts";
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

test("styles stand around words, and blanks outside of them [S-40]", () => {
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
