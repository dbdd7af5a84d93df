import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import { describe, expect, test } from "vitest";
import { bodyLine, fieldPosition, parseSkill } from "./parse.ts";

const codes = (text: string | Uint8Array) => parseSkill(text).findings.map(({ code }) => code);
const fields = (yaml: string) => parseSkill(`---\n${yaml}\n---\n`).frontmatter;

describe("fences", () => {
  test("splits frontmatter and body at lines of ---, and the parts join to the file [S-2]", () => {
    const text = "---\nname: a\n---\n# Body\n\n---\n\nmore\n";
    const { fences, body } = parseSkill(text);
    expect(body).toBe("# Body\n\n---\n\nmore\n");
    expect(fences.head + fences.frontmatter + fences.tail + fences.body).toBe(text);
  });

  test.each([
    ["trailing blanks", "--- \t\nname: a\n---  \nbody"],
    ["a byte-order mark", "\uFEFF---\nname: a\n---\nbody"],
    ["CRLF", "---\r\nname: a\r\n---\r\nbody"],
    ["bare CR", "---\rname: a\r---\rbody"],
    ["mixed line ends", "---\r\nname: a\r---\nbody"],
  ])("tolerates %s around the fences [S-2]", (_, text) => {
    expect(parseSkill(text)).toMatchObject({ isReadable: true, frontmatter: { name: "a" }, body: "body" });
  });

  test.each([
    "---js\nname: a\n---\n",
    "---json\n{}\n---\n",
    "--- # note\nname: a\n---\n",
    "\n---\nname: a\n---\n",
    " ---\nname: a\n---\n",
    "----\nname: a\n---\n",
    "# Title\n",
    "",
  ])("a file with another start has no frontmatter: %j [S-2]", (text) => {
    expect(parseSkill(text)).toMatchObject({ isReadable: false, body: text });
    expect(codes(text)).toEqual(["NO_FRONTMATTER"]);
  });

  test.each(["---\nname: a\n", "---\nname: a\n  ---\n", "---\nname: a\n---x\n", "---"])(
    "an opening fence alone is unclosed: %j [S-2]",
    (text) => {
      expect(codes(text)).toEqual(["FRONTMATTER_UNCLOSED"]);
    },
  );

  test("three hyphens inside a value are text [S-2]", () => {
    expect(fields("description: a --- b")).toEqual({ description: "a --- b" });
  });
});

describe("values", () => {
  test("scalars below metadata keep their source text, others their type [S-2]", () => {
    expect(
      fields(
        "metadata:\n  version: 1.0\n  on: yes\n  nested: { n: 0x1F, t: true }\ncount: 3\nflag: true\nnothing:",
      ),
    ).toEqual({
      metadata: { version: "1.0", on: "yes", nested: { n: "0x1F", t: "true" } },
      count: 3,
      flag: true,
      nothing: null,
    });
  });

  test("YAML 1.1 words and dates are text [S-2]", () => {
    expect(fields("a: yes\nb: off\nc: 2026-01-02\nd: 1_000")).toEqual({
      a: "yes",
      b: "off",
      c: "2026-01-02",
      d: "1_000",
    });
  });

  test("numbers outside JSON's range keep their text [S-2]", () => {
    expect(fields("a: .inf\nb: .nan\nc: 12345678901234567890")).toEqual({
      a: ".inf",
      b: ".nan",
      c: "12345678901234567890",
    });
  });

  test("__proto__ and constructor are data and pollute nothing [S-2]", () => {
    const data = fields(
      "__proto__: { polluted: yes }\nconstructor: { prototype: { polluted: yes } }\nmetadata: { __proto__: x }",
    );
    expect(Object.keys(data)).toEqual(["__proto__", "constructor", "metadata"]);
    expect(Object.getPrototypeOf(data)).toBeNull();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("expands aliases and merges [S-2]", () => {
    expect(fields("base: &b { x: 1, y: 2 }\nuse: *b\nmore:\n  <<: *b\n  y: 3")).toEqual({
      base: { x: 1, y: 2 },
      use: { x: 1, y: 2 },
      more: { y: 3, x: 1 },
    });
  });

  test("reports a tag outside the core schema and keeps its value as data [S-2]", () => {
    const skill = parseSkill("---\nname: !!python/object:os.system id\nx: !!js/function 'return 1'\n---\n");
    expect(skill.frontmatter).toEqual({ name: "id", x: "return 1" });
    expect(skill.findings.map(({ code }) => code)).toEqual(["YAML_TAG", "YAML_TAG"]);
  });

  test.each([["- a\n- b"], ["just text"], [""], ["# a comment"], ["42"]])(
    "frontmatter that is not a mapping counts as missing: %j [S-2]",
    (yaml) => {
      expect(codes(`---\n${yaml}\n---\n`)).toEqual(["FRONTMATTER_NOT_MAPPING"]);
    },
  );
});

describe("hostile input", () => {
  const bomb = [
    "a0: &a0 [x,x,x,x,x,x,x,x,x,x]",
    ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(",")}]`),
  ].join("\n");
  const mergeBomb = [
    "m0: &m0 {k: v}",
    ...Array.from(
      { length: 20 },
      (_, i) => `m${i + 1}: &m${i + 1}\n  <<: [${Array(10).fill(`*m${i}`).join(",")}]`,
    ),
  ].join("\n");

  test.each([
    ["an alias bomb", bomb, "ALIAS_BOMB"],
    ["a merge bomb", mergeBomb, "ALIAS_BOMB"],
    ["an alias of itself", "a: &a [*a]", "YAML_REPAIRED"],
    ["10,000 levels of flow", `a: ${"[".repeat(10_000)}${"]".repeat(10_000)}`, "FRONTMATTER_TOO_COMPLEX"],
    ["10,000 levels of blocks", "- ".repeat(10_000), "FRONTMATTER_TOO_COMPLEX"],
    [
      "300 levels of indentation",
      Array.from({ length: 300 }, (_, i) => `${" ".repeat(i)}k:`).join("\n"),
      "FRONTMATTER_TOO_COMPLEX",
    ],
    ["50,000 keys", Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join("\n"), "FRONTMATTER_TOO_LARGE"],
    ["6,000 keys", Array.from({ length: 6000 }, (_, i) => `k${i}: 1`).join("\n"), "FRONTMATTER_TOO_COMPLEX"],
    ["70 KB of one value", `a: ${"x".repeat(70_000)}`, "FRONTMATTER_TOO_LARGE"],
    ["a mapping as a key", "? {a: b}\n: c", "YAML_INVALID"],
    ["a NUL byte", "name: a\0b", "CONTROL_CHARACTER"],
    ["an escape sequence", "name: a\u001b[31m", "CONTROL_CHARACTER"],
  ])("%s becomes a diagnostic [S-2] [S-66]", (_, yaml, code) => {
    const found = codes(`---\n${yaml}\n---\nbody`);
    expect(found).toContain(code);
  });

  test("splits a megabyte of bare carriage returns in linear time [S-2]", () => {
    const before = process.cpuUsage();
    parseSkill(`---\r${"\r".repeat(1_000_000)}`);
    parseSkill(`---\r${"a\r".repeat(500_000)}`);
    // It took eight seconds once; what is asserted is that it is not quadratic.
    expect(process.cpuUsage(before).user).toBeLessThan(4_000_000);
  });

  test("reports invalid UTF-8 with its position and reads the rest [S-2]", () => {
    const bytes = Buffer.concat([
      Buffer.from("---\nname: a\n---\nbo"),
      Buffer.from([0xff, 0xfe]),
      Buffer.from("dy"),
    ]);
    const skill = parseSkill(bytes);
    expect(skill.findings).toEqual([expect.objectContaining({ code: "NOT_UTF8", line: 4, column: 3 })]);
    expect(skill.frontmatter).toEqual({ name: "a" });
  });

  test("respects the caller's limits [S-66]", () => {
    const limits = withLimits({ frontmatterBytes: 1024 });
    const text = `---\nname: ${"x".repeat(2000)}\n---\n`;
    expect(parseSkill(text, limits).findings.map(({ code }) => code)).toEqual(["FRONTMATTER_TOO_LARGE"]);
    expect(parseSkill(text, defaultLimits).isReadable).toBe(true);
  });
});

describe("places", () => {
  test("a diagnostic has the line and column in the file [S-4]", () => {
    const skill = parseSkill("---\r\nname: a\r\n# note\r\nlicense: !x MIT\r\n---\r\nbody");
    expect(skill.findings.filter(({ code }) => code === "YAML_TAG")).toEqual([
      expect.objectContaining({ line: 4, column: 13 }),
    ]);
    expect(fieldPosition(skill, "license")).toEqual({ line: 4, column: 1 });
    expect(fieldPosition(skill, "absent")).toEqual({ line: 1, column: 1 });
    expect(bodyLine(skill)).toBe(6);
  });

  test("a repaired field has its position in the original file [S-3] [S-4]", () => {
    const skill = parseSkill("---\nlicense: a: b\nname: a\n---\n");
    expect(skill.repaired).toBe(true);
    expect(fieldPosition(skill, "name")).toEqual({ line: 3, column: 1 });
  });
});

test("a value of the frontmatter is the same from bytes and from text, of any size [S-2]", () => {
  for (const length of [1, 5000, 20_000]) {
    const value = "é𝄞 word ".repeat(length / 5 + 1).trim();
    const text = `---\nname: a\ndescription: ${value}\n---\nBody\n`;
    const limits = { ...defaultLimits, frontmatterBytes: 1_000_000 };
    const { frontmatter, body } = parseSkill(new TextEncoder().encode(text), limits);
    expect(frontmatter).toEqual(parseSkill(text, limits).frontmatter);
    expect([frontmatter["description"], body]).toEqual([value, "Body\n"]);
  }
});
