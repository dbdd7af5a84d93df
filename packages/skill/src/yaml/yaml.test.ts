import { defaultLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readFullYaml, readPlainYaml, readYaml } from "./yaml.ts";

const PIECES = [
  "name",
  "description",
  "metadata",
  "a-b",
  "_x",
  ": ",
  ":",
  " ",
  "  ",
  "\n",
  "\n  ",
  "text",
  "Use when asked, with [x] {y}",
  "1",
  "1.0",
  "1.0.0",
  "0x1F",
  "2026-01-02",
  "true",
  "no",
  "null",
  "~",
  "'q'",
  '"d"',
  "'it''s'",
  '"a\\n"',
  "-",
  "- ",
  "#",
  " #c",
  "&a",
  "*a",
  "!x",
  "|",
  ">",
  "é",
  "技能",
  "\t",
  "\u0085",
  "\u2028",
  "\uFEFF",
  "\u0007",
  "%",
  "@",
  "`",
  ",",
  "?",
  "---",
  "...",
  "<<",
  "=",
  "3 steps",
  "e5",
  "1e5",
  ".5",
  "+1",
  "12:30:45",
];

test("what the fast reader reads, it reads as the full one does [S-2]", () => {
  let read = 0;
  const lines = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join(""));
  const entries = fc.array(
    fc.tuple(
      fc.constantFrom("name", "description", "  author", "  version", "metadata", "tags"),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }),
    ),
    { maxLength: 6 },
  );
  const mapped = entries.map((list) => list.map(([key, parts]) => `${key}: ${parts.join("")}\n`).join(""));
  fc.assert(
    fc.property(
      fc.oneof(
        lines,
        mapped,
        mapped.map((text) => text.replace("metadata: ", "metadata:")),
      ),
      (text) => {
        const plain = readPlainYaml(text);
        if (plain === undefined) return;
        read += 1;
        const { tokens: _, ...full } = readFullYaml(text, defaultLimits);
        expect(plain).toEqual(full);
        expect(Object.keys(plain.value ?? {})).toEqual(Object.keys(full.value ?? {}));
      },
    ),
    { numRuns: 20_000 },
  );
  expect(read).toBeGreaterThan(100);
});

test.each([
  "name: demo\ndescription: Use when asked, e.g. for [x].\nlicense: MIT\n",
  "name: demo\nmetadata:\n  author: someone\n  version: 1.0.0\n  date: 2026-01-02\n",
  "name: \"quoted\"\ndescription: 'also: quoted # text'\n",
  "description: 技能 is fine\n",
])("usual frontmatter takes the fast way: %j [S-2]", (text) => {
  const plain = readPlainYaml(text);
  expect(plain).toBeDefined();
  expect(readYaml(text, defaultLimits)).toEqual({ ...plain, tokens: 0 });
});

test.each([
  "",
  "a: b: c\n",
  "a: 1\n",
  "a: yes\n",
  "a:\n",
  "a:\nb: c\n",
  "a: b\n  c: d\n",
  "a: b\na: c\n",
  "a: [x]\n",
  "a: |\n  b\n",
  "# note\na: b\n",
  "a: b # note\n",
  "a: b\n\nc: d\n",
  "a:\n    b: c\n",
  "- a\n",
])("anything else is left to the full reader: %j [S-2]", (text) => {
  expect(readPlainYaml(text)).toBeUndefined();
});
