import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { isMap } from "../yaml/value.ts";
import { readYaml } from "../yaml/yaml.ts";
import { type Repair, repairFrontmatter } from "./repair.ts";

const limits = defaultLimits;

function repaired(text: string): unknown {
  const repair = repairFrontmatter(text, limits);
  return repair && JSON.parse(JSON.stringify(readYaml(repair.text, limits).value));
}

interface Row {
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
}

const textFaults: readonly Row[] = [
  { name: "a colon and a blank", text: "description: Sorts mail: fast\n", value: "Sorts mail: fast" },
  { name: "a colon at the end", text: "description: Sorts these:\n", value: "Sorts these:" },
  {
    name: "a colon and a hash",
    text: "description: Sorts: mail # and post\n",
    value: "Sorts: mail # and post",
  },
  { name: "two stars", text: "description: **Sorts** mail\n", value: "**Sorts** mail" },
  { name: "one star", text: "description: *Sorts* mail\n", value: "*Sorts* mail" },
  { name: "an at sign", text: "description: @me sorts mail\n", value: "@me sorts mail" },
  { name: "a backtick", text: "description: `mail` sorts mail\n", value: "`mail` sorts mail" },
  { name: "a percent sign", text: "description: %d mails sorted\n", value: "%d mails sorted" },
  { name: "an ampersand", text: "description: & sorts mail\n", value: "& sorts mail" },
  { name: "an exclamation mark", text: "description: !! sorts: mail\n", value: "!! sorts: mail" },
  { name: "a bar without a blank", text: "description: |mail| sorter\n", value: "|mail| sorter" },
  { name: "two brackets", text: "description: [mail] [post]\n", value: "[mail] [post]" },
  { name: "a bracket and text", text: "description: [Beta] sorts mail\n", value: "[Beta] sorts mail" },
  { name: "an open bracket", text: "description: [sorts mail\n", value: "[sorts mail" },
  { name: "an open brace", text: "description: {sorts mail\n", value: "{sorts mail" },
  { name: "a placeholder", text: "description: {{what it does}}\n", value: "{{what it does}}" },
  { name: "text behind a quote", text: 'description: "mail" sorter\n', value: '"mail" sorter' },
  { name: "a sentence and more", text: 'description: "Sorts mail." Ask it\n', value: "Sorts mail. Ask it" },
  {
    name: "a full-width sentence and more",
    text: 'description: "整理邮件。"需要时使用\n',
    value: "整理邮件。需要时使用",
  },
  { name: "two quoted words", text: 'description: "mail" and "post"\n', value: '"mail" and "post"' },
  { name: "a stray comma", text: 'description: "Sorts mail",\n', value: "Sorts mail" },
  { name: "a full stop behind a quote", text: 'description: "整理邮件"。\n', value: "整理邮件。" },
  { name: "no closing quote", text: 'description: "Sorts mail\n', value: "Sorts mail" },
  { name: "no closing single quote", text: "description: 'Sorts mail\n", value: "Sorts mail" },
  { name: "quotes in quotes", text: 'description: "Say "sort" to it"\n', value: 'Say "sort" to it' },
  { name: "an apostrophe in quotes", text: "description: 'It's a sorter'\n", value: "It's a sorter" },
  { name: "a path in quotes", text: 'description: "In C:\\mail\\new"\n', value: "In C:\\mail\\new" },
  { name: "curly quotes", text: "description: “Sorts: mail”\n", value: "Sorts: mail" },
  { name: "text behind >-", text: "description: >- Sorts mail\n", value: "Sorts mail" },
  { name: "text behind |", text: "description: | Sorts mail\n", value: "Sorts mail" },
  { name: "text behind > and below", text: "description: >- Sorts mail\n  fast\n", value: "Sorts mail fast" },
  { name: "text behind | and below", text: "description: | Sorts\nmail\n", value: "Sorts\nmail\n" },
  { name: "no indent below >", text: "description: >\nSorts\nmail\n", value: "Sorts mail\n" },
  {
    name: "less and less indent below >",
    text: "description: >-\n    Sorts\n  mail\nfast\n",
    value: "Sorts mail fast",
  },
  { name: "no indent below |", text: "description: |\nSorts\n  mail\n", value: "Sorts\n  mail\n" },
  { name: "no indent below text", text: "description: Sorts\nmail fast\n", value: "Sorts mail fast" },
  { name: "no indent below a quote", text: 'description: "Sorts\nmail"\n', value: "Sorts mail" },
  { name: "a label in a long quote", text: 'description: "Sorts\nNote: mail"\n', value: "Sorts Note: mail" },
  { name: "no indent below the key", text: "description:\nSorts mail\nfast\n", value: "Sorts mail fast" },
  {
    name: "a list below text",
    text: "description: **Sorts**\n- mail\n\n- post\n",
    value: "**Sorts**\n- mail\n\n- post",
  },
  { name: "an escaped line end", text: 'description: "Sorts\\nmail" fast"\n', value: 'Sorts\nmail" fast' },
  {
    name: "a label below the key",
    text: "description:\n  Use when: mail: comes\n",
    value: "Use when: mail: comes",
  },
  { name: "a full-width colon", text: "description：整理邮件\n", value: "整理邮件" },
  { name: "no blank behind the colon", text: "description:Sorts mail\n", value: "Sorts mail" },
  { name: "a misplaced indent", text: "  description: Sorts mail\n", value: "Sorts mail" },
];

describe("text that is not valid YAML", () => {
  test.each(textFaults)("is read despite $name [S-3]", ({ text, value }) => {
    const frontmatter = `name: sorter\n${text}license: MIT\n`;
    expect(repaired(frontmatter)).toEqual({ name: "sorter", description: value, license: "MIT" });
  });
});

const structureFaults: readonly Row[] = [
  {
    name: "a colon deep in metadata",
    text: "metadata:\n  a:\n    b: one: two\n    c: three\n  d: four\n",
    value: { metadata: { a: { b: "one: two", c: "three" }, d: "four" } },
  },
  {
    name: "broken list items",
    text: 'tags:\n  - mail: in: box\n  - "mail" box\n  - @post\n  - plain\n',
    value: { tags: [{ mail: "in: box" }, '"mail" box', "@post", "plain"] },
  },
  {
    name: "a broken field inside a list item",
    text: "install:\n- kind: brew\n  label: Get: it\n- kind: node\n",
    value: { install: [{ kind: "brew", label: "Get: it" }, { kind: "node" }] },
  },
  { name: "a glob", text: "paths: **/*.eml\n", value: { paths: "**/*.eml" } },
  {
    name: "a list with odd items",
    text: "tags: [mail, @post, a: b: c]\n",
    value: { tags: ["mail", "@post", "a: b: c"] },
  },
  { name: "a list that is not closed", text: "tags: [mail, post\n", value: { tags: ["mail", "post"] } },
  {
    name: "an argument hint",
    text: "argument-hint: [box] [rule]\n",
    value: { "argument-hint": "[box] [rule]" },
  },
  {
    name: "a JSON block at the first column",
    text: 'metadata:\n{\n"a": {\n  "b": ["c"],\n},\n}\n',
    value: { metadata: { a: { b: ["c"] } } },
  },
  {
    name: "a JSON block whose end is at the first column",
    text: 'metadata: {\n"a": "b"\n}\n',
    value: { metadata: { a: "b" } },
  },
  {
    name: "a JSON block with comments",
    text: 'metadata:\n{\n  "a": "b", // why: because\n  "c": "http://d"\n}\n',
    value: { metadata: { a: "b", c: "http://d" } },
  },
  {
    name: "a JSON block that is not closed",
    text: 'metadata:\n{\n  "a": {\n    "b": "c"\n  }\n',
    value: { metadata: { a: { b: "c" } } },
  },
  { name: "tabs", text: "metadata:\n\ta: b\n\tc: d: e\n", value: { metadata: { a: "b", c: "d: e" } } },
  { name: "a key given twice", text: "license: MIT\nlicense: ISC\n", value: { license: "ISC" } },
  { name: "a key given again without a value", text: "license: MIT\nlicense:\n", value: { license: "MIT" } },
  { name: "a nested key given twice", text: "metadata:\n  a: b\n  a: c\n", value: { metadata: { a: "c" } } },
  {
    name: "fields that slide to the right",
    text: "license: MIT\n  version: a\n  metadata:\n    b: c\nauthor: me\n",
    value: { license: "MIT", version: "a", metadata: { b: "c" }, author: "me" },
  },
  {
    name: "uneven indents in metadata",
    text: "metadata:\n    a: b\n   c: d\n",
    value: { metadata: { a: "b", c: "d" } },
  },
  {
    name: "brackets that make no sense, as text",
    text: "metadata: {a: [}, b]\n",
    value: { metadata: "{a: [}, b]" },
  },
];

describe("structure that is not valid YAML", () => {
  test.each(structureFaults)("is read despite $name [S-3]", ({ text, value }) => {
    expect(repaired(`name: sorter\n${text}description: Sorts mail\n`)).toEqual({
      name: "sorter",
      description: "Sorts mail",
      ...Object(value),
    });
  });

  test.each([
    ["below", "name: a\ndescription: Handles things\n  name: inner text here\nlicense: MIT: x\n"],
    ["above", "description: Handles things\n  name: inner text here\nlicense: MIT: x\nname: a\n"],
  ])("an indented key %s the same key at the top level is text of the value above it [S-3]", (_, text) => {
    expect(repaired(text)).toEqual({
      name: "a",
      description: "Handles things name: inner text here",
      license: "MIT: x",
    });
  });

  test.each([
    ["among others that slide", "name: a\nlicense: MIT\n  version: b: c\n  name: inner\n", "MIT"],
    ["above all others", "  name: inner\nname: a\nlicense: ISC\n  version: b: c\n", "ISC"],
  ])("an indented key %s never overrides the same key at the top level [S-3]", (_, text, license) => {
    expect(repaired(text)).toEqual({ name: "a", license, version: "b: c" });
    const messages = repairFrontmatter(text, limits)?.edits.map(({ message }) => message);
    expect(messages).toContain('"name" appears more than once and the one that is not indented is used');
  });

  test("an indented key does not override in nested data either [S-3]", () => {
    expect(repaired("metadata:\n  a: one\n  b: two\n    a: inner\nlicense: MIT: x\n")).toEqual({
      metadata: { a: "one", b: "two a: inner" },
      license: "MIT: x",
    });
  });

  test("text above the first field becomes a comment [S-3]", () => {
    const repair = repairFrontmatter("Sorter of mail\nname: sorter: mail\n", limits);
    expect(repair?.text).toBe("# Sorter of mail\nname: 'sorter: mail'\n");
  });

  test("a description that looks like a list is text in a broken file [S-3]", () => {
    expect(repaired("description: [Beta]\nlicense: see: file\n")).toEqual({
      description: "[Beta]",
      license: "see: file",
    });
  });
});

describe("what the repair touches", () => {
  const source =
    "# top\nname:   sorter\n\ndescription: Sorts: mail\n# about tags\ntags: [ a,b ]\nmetadata:\n  a: 1\n  b: c: d\n";

  test("comments, blank lines, order and valid fields stay unchanged [S-3]", () => {
    expect(repairFrontmatter(source, limits)).toMatchObject({
      text: source.replace("Sorts: mail", "'Sorts: mail'").replace("c: d", "'c: d'"),
      edits: [
        {
          line: 3,
          count: 1,
          lines: ["description: 'Sorts: mail'"],
          message: 'the value of "description" contains ": " and is read as if it were quoted',
        },
        {
          line: 8,
          count: 1,
          lines: ["  b: 'c: d'"],
          message: 'the value of "metadata.b" contains ": " and is read as if it were quoted',
        },
      ],
    });
  });

  test("keeps a comment after a repaired quote [S-3]", () => {
    const repair = repairFrontmatter('license: "a "free" one" # see below\n', limits);
    expect(repair?.text).toBe("license: 'a \"free\" one' # see below\n");
  });

  test("a long text becomes a folded block [S-3]", () => {
    const repair = repairFrontmatter("description: Sorts: mail\nand post\nname: sorter", limits);
    expect(repair?.text).toBe("description: >-\n  Sorts: mail\n  and post\nname: sorter");
  });

  test.each(["", "name: sorter\n", "just text\n", "- a\n- b\n", "x: !tag y\n"])(
    "%j is valid and stays unchanged [S-3]",
    (text) => {
      expect(repairFrontmatter(text, limits)).toBeUndefined();
    },
  );

  test("does not create a field from text without one [S-3]", () => {
    expect(repairFrontmatter("some text\n- [a list\n", limits)).toBeUndefined();
  });
});

describe("what is given up", () => {
  test("more tokens than the limit [S-3]", () => {
    const text = `${"a: b: c\n".repeat(30)}`;
    expect(repairFrontmatter(text, limits)).toBeDefined();
    expect(repairFrontmatter(text, withLimits({ repairTokens: 100 }))).toBeUndefined();
  });

  test("thousands of broken lines after an open quote, which is one token in YAML [S-3]", () => {
    expect(repairFrontmatter(`a: "\n${"b: c: d\n".repeat(8000)}`, limits)).toBeUndefined();
  });

  test("aliases that expand endlessly [S-3]", () => {
    const bomb = Array.from(
      { length: 20 },
      (_, at) => `a${at}: &a${at} [${at === 0 ? "x" : `*a${at - 1}, *a${at - 1}`}]`,
    );
    expect(repairFrontmatter(`${bomb.join("\n")}\n`, limits)).toBeUndefined();
  });
});

describe("for any text", () => {
  const scalar = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const key = fc.stringMatching(/^[a-z][a-z-]{0,8}$/);
  const mapping = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar), fc.dictionary(key, scalar)), {
    maxKeys: 6,
  });

  test("never changes a mapping that YAML wrote [S-3]", () => {
    fc.assert(
      fc.property(mapping, (value) => {
        expect(repairFrontmatter(stringify(value), limits)).toBeUndefined();
      }),
    );
  });

  const fragment = fc.constantFrom(
    ..."name: ;description: ;metadata:;a: b;: ;- ;  ;\t;\n;\n;\n;\n  ;\n- ;\n  - ;\";';[;];{;};,;>-;|;# ;*;&x ;!t ;@;`;%;\\;//;---;...;?;：;。;“;”;Note: ;word;words and more".split(
      ";",
    ),
  );
  const broken = fc.array(fragment, { maxLength: 25 }).map((parts) => `name: ${parts.join("")}`);

  test("repair never throws, and its edits produce the returned mapping [S-3]", () => {
    let repairs = 0;
    const check = (text: string): void => {
      const repair = repairFrontmatter(text, limits);
      if (repair === undefined) return;
      repairs += 1;
      expect(isMap(readYaml(repair.text, limits).value)).toBe(true);
      expect(apply(text, repair)).toBe(repair.text);
    };
    fc.assert(fc.property(broken, check), { numRuns: 1000 });
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), check), { numRuns: 300 });
    expect(repairs).toBeGreaterThan(500);
  });

  test("valid fields beside a broken one stay byte for byte [S-3]", () => {
    const fields = fc.uniqueArray(key, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fields, scalar, fc.nat(4), (keys, value, at) => {
        const sound = keys.map((name) => stringify({ [name]: value }));
        const text = sound.toSpliced(at, 0, "zz-broken: a: b\n").join("");
        expect(repairFrontmatter(text, limits)?.text).toBe(
          text.replace("zz-broken: a: b", "zz-broken: 'a: b'"),
        );
      }),
    );
  });
});

/** Puts a repair's edits into the source; they must be in order and apart. */
function apply(text: string, { edits }: Repair): string {
  const lines = text.split("\n");
  let end = 0;
  for (const edit of edits) {
    expect(edit.line).toBeGreaterThanOrEqual(end);
    end = edit.line + edit.count;
    expect(end).toBeLessThanOrEqual(lines.length);
  }
  for (const edit of edits.toReversed()) lines.splice(edit.line, edit.count, ...edit.lines);
  return lines.join("\n");
}
