import { defaultLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { expect, test } from "vitest";
import { BROKEN, readPlainYaml } from "./plain-yaml.ts";
import { readFullYaml, readYaml, tryYaml } from "./yaml.ts";

const SCALARS = [
  ...["text", "Use when asked, e.g. for this.", "it's", "3 steps", "C#", "a:b", "http://x.y/z", "(a)", "$x"],
  ...[
    "1",
    "1.0",
    "1.10",
    "1.0.0",
    "0x1F",
    "0o7",
    "007",
    "-1",
    "-0",
    "+1",
    ".5",
    "1e5",
    "99999999999999999999",
  ],
  ...[
    "2026-01-02",
    "12:30:45",
    "true",
    "False",
    "no",
    "on",
    "null",
    "~",
    ".inf",
    "é",
    "技能",
    "🙂",
    "\u00A0",
    "\u3000",
  ],
];
const QUOTED = ["'q'", '"d"', "'it''s: #x'", '"a\\n\\"b"', "''", '""', '"\\u0041"', "'a", '"a'];
const FLOW = [
  ...[
    "[]",
    "{}",
    "[a, b]",
    "[a,]",
    '["a", 1, true]',
    "{a: b}",
    '{"a":1}',
    '{"a": [1, "x", {"b": null}], c: d}',
  ],
  ...[
    "[a: b]",
    "{a}",
    "[a",
    "{a: b",
    "[\n      a,\n      b\n    ]",
    '{\n      "a": 1,\n    }',
    "[a\n]",
    "[a #c\n ]",
  ],
];
const TAILS = [
  "",
  "",
  "",
  "",
  " ",
  " # note",
  "#",
  ":",
  ": more",
  " more",
  "\n      more",
  "\n\n      more",
  "\n   # note",
];
const BLOCKS = ["|", ">", "|-", ">-", ">+", "|2", "|  ", "> # note"];
const BLOCK_LINES = ["one", "two words  ", "", "  deeper", "# text", "a: b", "- c", "   "];
const KEYS = ["name", "description", "metadata", "tags", "a-b", "_x", "x.y", "requires", "k1", "k2", "k3"];
const ODD = [
  "\t",
  "\n",
  " ",
  "  ",
  ":",
  "-",
  "#",
  "&a ",
  "*a",
  "!x ",
  "? ",
  "---\n",
  "...",
  "<<",
  "\u2028",
  "\uFEFF",
  "\u0085",
];
const ODD_LINES = ["", "# note", "  # note", "   ", "---", "text", "name: again"];

type Lines = readonly string[];

const oneOf = (list: Lines) => fc.constantFrom(...list);
const value = fc
  .tuple(fc.oneof(oneOf(SCALARS), oneOf(QUOTED), oneOf(FLOW)), oneOf(TAILS))
  .map((parts) => parts.join(""));
const block = fc
  .tuple(oneOf(BLOCKS), fc.array(oneOf(BLOCK_LINES), { minLength: 1, maxLength: 4 }))
  .map(([header, lines]): Lines => [header, ...indent(lines, "  ")]);

/** The lines of a value: the first follows its key or dash, the others stand below it. */
const { node } = fc.letrec<{ node: Lines; map: Lines; list: Lines; below: Lines }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    { weight: 4, arbitrary: value.map((text): Lines => [text]) },
    { weight: 1, arbitrary: block },
    { weight: 2, arbitrary: tie("below") },
  ),
  below: fc
    .tuple(
      fc.oneof(
        tie("map"),
        tie("list"),
        value.map((text): Lines => [text]),
      ),
      oneOf(["  ", "  ", "    ", " ", ""]),
    )
    .map(([lines, margin]): Lines => ["", ...indent(lines, margin)]),
  map: fc
    .array(fc.tuple(oneOf(KEYS), tie("node")), { minLength: 1, maxLength: 3 })
    .map((fields): Lines => fields.flatMap(([key, [first = "", ...more]]) => [`${key}: ${first}`, ...more])),
  list: fc
    .array(fc.oneof(tie("node"), tie("map")), { minLength: 1, maxLength: 3 })
    .map((items): Lines => items.flatMap(([first = "", ...more]) => [`- ${first}`, ...indent(more, "  ")])),
}));

const fields = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(oneOf(KEYS), node)
        .map(([key, [first = "", ...more]]): Lines => [`${key}: ${first}`, ...more]),
    },
    { weight: 1, arbitrary: oneOf(ODD_LINES).map((line): Lines => [line]) },
  ),
  { minLength: 1, maxLength: 5 },
);

/** Frontmatter in the shapes of real skills, valid or nearly so. */
const frontmatterText: fc.Arbitrary<string> = fc
  .tuple(
    fields,
    fc.oneof(fc.constant(undefined), fc.tuple(fc.nat(), oneOf(ODD))),
    oneOf(["\n", "\n", "\n", ""]),
  )
  .map(([entries, odd, end]) => {
    const text = entries.flat().join("\n") + end;
    if (odd === undefined) return text;
    const at = odd[0] % (text.length + 1);
    return text.slice(0, at) + odd[1] + text.slice(at);
  });

function indent(lines: Lines, margin: string): Lines {
  return lines.map((line) => (line === "" ? line : margin + line));
}

test("the fast reader and the full one return the same data [S-2]", () => {
  let read = 0;
  fc.assert(
    fc.property(frontmatterText, (text) => {
      const plain = readPlainYaml(text, defaultLimits);
      if (plain === undefined || plain === BROKEN) return;
      read += 1;
      const { tokens: _, ...full } = readFullYaml(text, defaultLimits);
      expect(plain).toEqual(full);
      expect(JSON.stringify(plain.value)).toBe(JSON.stringify(full.value));
    }),
    { numRuns: 20_000 },
  );
  expect(read).toBeGreaterThan(1000);
});

test("the full reader rejects all text that the fast one rejects [S-2]", () => {
  let broken = 0;
  fc.assert(
    fc.property(frontmatterText, (text) => {
      if (readPlainYaml(text, defaultLimits) !== BROKEN) return;
      broken += 1;
      const { value, faults } = readFullYaml(text, defaultLimits);
      expect(value).toBeUndefined();
      expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(["YAML_INVALID"]));
      expect(tryYaml(text, defaultLimits).value).toBeUndefined();
    }),
    { numRuns: 20_000 },
  );
  expect(broken).toBeGreaterThan(200);
});

test.each([
  "name: demo\ndescription: Use when asked, e.g. for [x].\nlicense: MIT\n",
  "name: demo\nmetadata:\n  author: someone\n  version: 1.0.0\n  date: 2026-01-02\n",
  "name: \"quoted\"\ndescription: 'also: quoted # text'\n",
  "description: 技能 is fine 🙂\n",
  'metadata: {"openclaw":{"emoji":"🎙️","os":["linux"],"requires":{"bins":["a","b"]}}}\n',
  "tags: [one, two three]\nversion: 1.10\nuser-invocable: false\n",
  "description: >-\n  Folded text,\n  two lines.\n\n  A paragraph.\nname: demo\n",
  "description: |\n  Literal: text\n    with # signs\n",
  "description: Text that goes on\n  on the next line.\n",
  "metadata:\n    openclaw:\n        requires:\n            env:\n            - KEY\n        install:\n          - id: node\n            kind: note\n",
  "# note\nname: demo # note\n\nlicense: MIT\n",
  "name:\ndescription: x\n",
  "metadata:\n  {\n    'a':\n      {\n        'b': 'c',\n      },\n  }\n",
])("the fast reader accepts usual frontmatter: %j [S-2]", (text) => {
  const plain = readPlainYaml(text, defaultLimits);
  if (plain === undefined || plain === BROKEN) throw new Error("The full reader is needed.");
  const { tokens: _, ...full } = readFullYaml(text, defaultLimits);
  expect(plain).toEqual(full);
  expect(readYaml(text, defaultLimits)).toEqual({ ...plain, tokens: 0 });
});

test.each([
  "",
  "a: 0x1F\n",
  "a: &b c\n",
  "a: !t c\n",
  "a: b\na: c\n",
  "a: [x\n",
  "a: |2\n   b\n",
  "a: >\n  b\n    c\n",
  'a: "b\n  c"\n',
  "a:\tb\n",
  "- a\n",
  "? a\n",
  "---\na: b\n",
  "<<: b\n",
])("the fast reader leaves other text to the full one: %j [S-2]", (text) => {
  expect(readPlainYaml(text, defaultLimits)).toBeUndefined();
});

test("the fast reader leaves text near a limit to the full one [S-2]", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `k${index}: v\n`).join("");
  expect(readPlainYaml(lines, defaultLimits)).toBeDefined();
  expect(readPlainYaml(lines, { ...defaultLimits, yamlTokens: 1000 })).toBeUndefined();
  expect(readPlainYaml("a: {b: {c: {d: e}}}\n", { ...defaultLimits, yamlDepth: 4 })).toBeUndefined();
  expect(readPlainYaml(`a: b: c\nd: ${"[".repeat(80)}\n`, defaultLimits)).toBeUndefined();
});
