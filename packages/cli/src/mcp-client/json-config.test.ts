import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { jsonConfig } from "./json-config.ts";

const WAY = ["servers", "skillhold"];
const ENTRY = { command: "x", args: ["mcp"] };
const set = (text: string) => jsonConfig.set(text, WAY, ENTRY);
const remove = (text: string) => jsonConfig.remove(text, WAY);

describe("settings in JSON with comments", () => {
  test("get the entry at the end and keep every comment [S-57]", () => {
    const before = `// mine
{
  /* all of them */
  "servers": {
    "other": { "url": "https://o" } // theirs, as it is
    // "old": {}
  }, // end
  "x": 12345678901234567890,
}
`;
    const after = before
      .replace('"https://o" } //', '"https://o" }, //')
      .replace(
        '// "old": {}\n',
        '// "old": {}\n    "skillhold": {\n      "command": "x",\n      "args": [\n        "mcp"\n      ]\n    }\n',
      );
    expect(set(before)).toBe(after);
    expect(set(after)).toBe(after);
  });

  test.each([
    [
      "trailing commas",
      '{\n\t"servers": {\n\t\t"a": {},\n\t},\n}',
      /\{\},\n\t\t"skillhold": \{\n\t\t\t"command"[\s\S]*\},\n\t\},\n\}$/,
    ],
    ["lines that end with CRLF", '{\r\n  "servers": { } // c\r\n}\r\n', /^(?:[^\r\n]*\r\n)+$/],
    ["a byte order mark", '\u{feff}{ "servers": {} }', /^\u{feff}\{ "servers": \{\n {2}"skillhold"/u],
    ["nothing in it", "", /^\{\n {2}"servers": \{[\s\S]*\}\n$/],
    ["nothing but a byte order mark", "\u{feff}", /^\u{feff}\{\n/u],
    ["nothing but comments", "// mine\r\n/* and this */", /^\/\/ mine\r\n\/\* and this \*\/\r\n\{\r\n/],
    [
      "a table of comments alone",
      '{"servers": {\n    // none yet\n}}',
      /\{\n {4}\/\/ none yet\n {2}"skillhold"/,
    ],
    [
      "all on one line",
      '{"servers": {"a": {} /* a */}}',
      /^\{"servers": \{"a": \{\}, \/\* a \*\/ "skillhold": \{"command":"x","args":\["mcp"\]\}\}\}$/,
    ],
    [
      "a comment at the end of a table",
      '{"servers": {"a": {} // a\n}}',
      /"a": \{\}, \/\/ a\n {2}"skillhold": \{/,
    ],
    ["null for a table", '{\n  "servers": null // none\n}', /\n {2}\} \/\/ none\n\}$/],
  ])("keep %s [S-57]", (_name, before, expected) => {
    const after = set(before);
    expect(after).toMatch(expected);
    expect(parse(after.replace(/^\u{feff}/u, "")).servers.skillhold).toEqual(ENTRY);
    for (const comment of before.match(/\/\/[^\r\n]*|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment);
  });

  test.each([
    [
      "the first",
      '{"servers": {\n  // ours\n  "skillhold": {}, // see\n  "b": 1\n}}',
      '{"servers": {\n  // ours\n   // see\n  "b": 1\n}}',
    ],
    [
      "the last",
      '{"servers": {\n  "a": 1, // a\n  "skillhold": {\n  }\n}}',
      '{"servers": {\n  "a": 1 // a\n}}',
    ],
    [
      "the last with a comma",
      '{"servers": {\r\n  "a": 1,\r\n  "skillhold": {},\r\n}}',
      '{"servers": {\r\n  "a": 1,\r\n}}',
    ],
    ["one on a line", '{"servers": {"a": 1, "skillhold": {}}}', '{"servers": {"a": 1}}'],
    ["the only one", '{\n  "servers": {\n    "skillhold": {}\n  },\n  "x": 1\n}', '{\n  "x": 1\n}'],
    [
      "the only one beside a comment",
      '{\n  "servers": {\n    // none\n    "skillhold": {}\n  }\n}',
      '{\n  "servers": {\n    // none\n  }\n}',
    ],
    [
      "a comma after a comment",
      '{"servers": {"skillhold": {} /* c */, "b": 1}}',
      '{"servers": { /* c */ "b": 1}}',
    ],
  ])("lose %s of the entries but no comment [S-57]", (_name, before, after) => {
    expect(remove(before)).toBe(after);
  });

  test("are deleted when only the entry is left, and kept with a comment [S-57]", () => {
    expect(remove('{"servers": {"skillhold": {}}}\n')).toBeUndefined();
    expect(remove('// mine\n{"servers": {"skillhold": {}}}\n')).toBe("// mine\n{}\n");
  });

  test.each([
    ["a key on the way twice", '{"servers": {}, "servers": {}}', "more than once"],
    ["our entry twice", '{"servers": {"skillhold": {}, "skillhold": {}}}', "more than once"],
    ["a key that is spelt in two ways", '{"servers": {}, "\\u0073ervers": {}}', "more than once"],
    ["a table that is a list", '{"servers": []}', "not a table"],
    ["a list", "[]", "not a JSON object"],
    ["two objects", "{} {}", "not valid JSON"],
    ["an open comment", "{} /*", "not valid JSON"],
    ["a missing comma", '{"a": 1 "b": 2}', "not valid JSON"],
    ["deep lists", `{"a": ${"[".repeat(100_000)}`, "nested deeper"],
    ["deep objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "nested deeper"],
  ])("are not changed with %s [S-57]", (_name, text, reason) => {
    expect(() => set(text)).toThrow(reason);
  });

  test("keep duplicate keys elsewhere and keys such as __proto__ [S-57]", () => {
    const before = '{\n  "a": 1,\n  "a": 2,\n  "__proto__": {"servers": 1}\n}';
    expect(set(before).startsWith(before.slice(0, -2))).toBe(true);
    expect(jsonConfig.find(before, WAY)).toBeUndefined();
  });

  test("of any shape keep their data with our entry, and are restored without it [S-57]", () => {
    const gap = fc.constantFrom("", " ", "\n", "\r\n  ", " // c\n", "/* } , */", "\t");
    const { table } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, fc.json({ maxDepth: 1 }), tie("table")),
      table: fc
        .record({
          pairs: fc.uniqueArray(fc.tuple(fc.constantFrom("servers", "a", "b", "{"), tie("value"), gap, gap), {
            selector: ([key]) => key,
            maxLength: 3,
          }),
          inner: gap,
          hasTrailing: fc.boolean(),
        })
        .map(({ pairs, inner, hasTrailing }) => {
          const body = pairs.map(([key, value, a, b]) => `${a}${JSON.stringify(key)}${b}:${a}${value}${b}`);
          return `{${body.join(",")}${hasTrailing && body.length > 0 ? "," : ""}${inner}}`;
        }),
    }));
    fc.assert(
      fc.property(gap, table, gap, (before, object, after) => {
        const text = `${before}${String(object)}${after}`;
        const data = parse(text);
        const isTable = typeof data.servers === "object" && !Array.isArray(data.servers);
        fc.pre(data.servers === undefined || isTable);
        const changed = set(text);
        expect(parse(changed)).toEqual({ ...data, servers: { ...data.servers, ...{ skillhold: ENTRY } } });
        const { servers, ...rest } = data;
        const isEmpty = servers === undefined || servers === null || Object.keys(servers).length === 0;
        const left = parse(remove(changed) ?? "{}");
        expect(isEmpty ? { ...left, servers: undefined } : left).toEqual(
          isEmpty ? { ...rest, servers: undefined } : data,
        );
        const comments = (of: string) => of.match(/\/\/ c|\/\* \} , \*\//g)?.length ?? 0;
        expect(comments(changed)).toBe(comments(text));
      }),
      { numRuns: 300 },
    );
  });
});
