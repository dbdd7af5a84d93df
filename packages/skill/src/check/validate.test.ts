import { Diagnostic } from "@skillhold/protocol";
import { describe, expect, test } from "vitest";
import { type Profile, profiles, ruleTable } from "../rule/rule-table.ts";
import type { Subject } from "./subject.ts";
import { validateText } from "./validate.ts";

const BODY = "\n---\n# Steps\n";
const skill = (yaml: string) => `---\n${yaml}${BODY}`;
const PLAIN = "name: demo\ndescription: Does things.";

/** The errors, and apart from them the warnings, of a text under a profile. */
function verdict(
  text: string,
  profile: Profile,
  subject: Subject = {},
): { errors: string[]; warnings: string[] } {
  const { diagnostics } = validateText(text, profile, subject);
  const of = (severity: string) =>
    diagnostics.filter((found) => found.severity === severity).map(({ code }) => code);
  return { errors: of("error"), warnings: of("warning") };
}

describe("the reference's cases", () => {
  // The reference implementation's own tests, by its numbering in the standard: what it accepts and refuses.
  test.each<[string, string, string, string[]]>([
    ["v1 plain", "my-skill", "name: my-skill\ndescription: A test skill", []],
    ["v5 upper case", "MySkill", "name: MySkill\ndescription: A test skill", ["NAME_UPPERCASE"]],
    [
      "v6 70 letters",
      "a".repeat(70),
      `name: ${"a".repeat(70)}\ndescription: A test skill`,
      ["NAME_TOO_LONG"],
    ],
    ["v7 leading hyphen", "-my-skill", "name: -my-skill\ndescription: A test skill", ["NAME_HYPHEN_EDGE"]],
    ["v8 two hyphens", "my--skill", "name: my--skill\ndescription: A test skill", ["NAME_DOUBLE_HYPHEN"]],
    ["v9 underscore", "my_skill", "name: my_skill\ndescription: A test skill", ["NAME_BAD_CHARS"]],
    [
      "v10 other folder",
      "wrong-name",
      "name: correct-name\ndescription: A test skill",
      ["NAME_DIR_MISMATCH"],
    ],
    [
      "v11 unknown field",
      "my-skill",
      "name: my-skill\ndescription: A test skill\nunknown_field: x",
      ["UNKNOWN_FIELDS"],
    ],
    [
      "v12 licence and metadata",
      "my-skill",
      "name: my-skill\ndescription: x\nlicense: MIT\nmetadata:\n  author: Test",
      [],
    ],
    [
      "v13 allowed tools",
      "my-skill",
      "name: my-skill\ndescription: x\nallowed-tools: Bash(jq:*) Bash(git:*)",
      [],
    ],
    ["v14 Chinese", "技能", "name: 技能\ndescription: x", []],
    ["v15 Russian with a hyphen", "мой-навык", "name: мой-навык\ndescription: x", []],
    ["v16 Russian", "навык", "name: навык\ndescription: x", []],
    ["v17 Russian upper case", "НАВЫК", "name: НАВЫК\ndescription: x", ["NAME_UPPERCASE"]],
    [
      "v18 1,100 characters of description",
      "my-skill",
      `name: my-skill\ndescription: ${"x".repeat(1100)}`,
      ["DESC_TOO_LONG"],
    ],
    [
      "v19 compatibility",
      "my-skill",
      "name: my-skill\ndescription: x\ncompatibility: Requires Python 3.11+",
      [],
    ],
    [
      "v20 550 characters of compatibility",
      "my-skill",
      `name: my-skill\ndescription: x\ncompatibility: ${"x".repeat(550)}`,
      ["COMPATIBILITY_TOO_LONG"],
    ],
    ["v21 composed folder, decomposed name", "caf\u00E9", "name: cafe\u0301\ndescription: x", []],
    ["p9 no name", "my-skill", "description: x", ["NAME_MISSING"]],
    ["p10 no description", "my-skill", "name: my-skill", ["DESC_MISSING"]],
    [
      "p7 a bare number below metadata",
      "my-skill",
      "name: my-skill\ndescription: x\nmetadata:\n  version: 1.0",
      [],
    ],
  ])("%s [S-4]", (_, folder, yaml, errors) => {
    expect(verdict(skill(yaml), "strict", { folder }).errors).toEqual(errors);
  });
});

describe("the reference's quirks", () => {
  // What the reference does beyond its tests, and what we decided; the reason is the third column.
  test.each<[string, string, string, string[]]>([
    ["BOM before ---", "\uFEFF---\nname: a\ndescription: x\n---\n", "harmless, said as a warning", []],
    [
      "blank line before ---",
      "\n---\nname: a\ndescription: x\n---\n",
      "a fence opens the file",
      ["NO_FRONTMATTER"],
    ],
    ["CRLF", "---\r\nname: a\r\ndescription: x\r\n---\r\n", "harmless", []],
    [
      "--- inside a value",
      "---\nname: a\ndescription: a --- b\n---\n",
      "fences are lines, so nothing is lost",
      [],
    ],
    [
      "indented closing fence",
      "---\nname: a\ndescription: x\n  ---\n",
      "fences stand at the margin",
      ["FRONTMATTER_UNCLOSED"],
    ],
    ["flow style", "---\nname: a\ndescription: x\nmetadata: {a: b}\n---\n", "it is YAML", []],
    [
      "list of tools",
      "---\nname: a\ndescription: x\nallowed-tools: [Read]\n---\n",
      "a warning: most clients take it",
      [],
    ],
    ["licence as a list", "---\nname: a\ndescription: x\nlicense: [MIT]\n---\n", "a warning", []],
    ["metadata as a list", "---\nname: a\ndescription: x\nmetadata: [b]\n---\n", "a warning", []],
    [
      "nested metadata",
      "---\nname: a\ndescription: x\nmetadata: {b: {c: d}}\n---\n",
      "a warning; kept as data",
      [],
    ],
    ["description true", "---\nname: a\ndescription: true\n---\n", "not text in YAML", ["DESC_NOT_STRING"]],
    ["description null", "---\nname: a\ndescription: ~\n---\n", "not text in YAML", ["DESC_NOT_STRING"]],
    ["name 123", "---\nname: 123\ndescription: x\n---\n", "not text in YAML", ["NAME_NOT_STRING"]],
    [
      "empty compatibility",
      '---\nname: a\ndescription: x\ncompatibility: ""\n---\n',
      "the specification says 1–500",
      ["COMPATIBILITY_EMPTY"],
    ],
    ["empty frontmatter", "---\n---\n", "there is no mapping", ["FRONTMATTER_NOT_MAPPING"]],
    ["superscript digit", "---\nname: a²\ndescription: x\n---\n", "NFKC makes it a2", []],
    ["full-width letters", "---\nname: ａｂｃ\ndescription: x\n---\n", "NFKC makes it abc", []],
    ["ligature", "---\nname: ﬁle\ndescription: x\n---\n", "NFKC makes it file", []],
    ["sharp s", "---\nname: straße\ndescription: x\n---\n", "a lower-case letter", []],
    ["Hebrew", "---\nname: כלי\ndescription: x\n---\n", "letters", []],
    [
      "Thai marks",
      "---\nname: ทักษะ\ndescription: x\n---\n",
      "combining marks are not letters",
      ["NAME_BAD_CHARS"],
    ],
    ["digit first", "---\nname: 1password\ndescription: x\n---\n", "allowed", []],
    ["64 letters", `---\nname: ${"a".repeat(64)}\ndescription: x\n---\n`, "the limit itself", []],
    [
      "64 astral letters",
      `---\nname: ${"𝒶".repeat(64)}\ndescription: x\n---\n`,
      "lengths count code points",
      [],
    ],
    [
      "duplicate key",
      "---\nname: a\nname: b\ndescription: x\n---\n",
      "not YAML 1.2; repaired",
      ["YAML_REPAIRED"],
    ],
  ])("%s [S-4]", (_, text, _reason, errors) => {
    expect(verdict(text, "strict").errors).toEqual(errors);
  });
});

describe("profiles", () => {
  test.each<[string, string, Record<Profile, string>]>([
    ["a plain skill", PLAIN, verdicts("valid valid valid valid invalid valid")],
    ["extra fields", `${PLAIN}\nauthor: me`, verdicts("invalid valid valid valid invalid valid")],
    ["a version", `${PLAIN}\nversion: 1.0.0`, verdicts("invalid valid valid valid valid valid")],
    [
      "a display name",
      "name: My Skill\ndescription: x\nversion: 1.0.0",
      verdicts("invalid valid valid invalid invalid invalid"),
    ],
    [
      "a name of another script",
      "name: навык\nslug: navyk\ndescription: x\nversion: 1.0.0",
      verdicts("invalid valid valid invalid invalid valid"),
    ],
    [
      "no description",
      "name: demo\nversion: 1.0.0",
      verdicts("invalid invalid invalid invalid invalid invalid"),
    ],
    ["no name", "description: x\nversion: 1.0.0", verdicts("invalid invalid valid invalid invalid invalid")],
    [
      "nested metadata",
      `${PLAIN}\nmetadata: {a: {b: c}}`,
      verdicts("valid valid valid invalid invalid valid"),
    ],
    [
      "broken YAML with a colon",
      "name: demo\ndescription: Use when: asked\nversion: 1.0.0",
      verdicts("invalid invalid valid invalid invalid invalid"),
    ],
    ["a reserved id", "name: upload\ndescription: x", verdicts("valid invalid valid valid invalid valid")],
    ["no id to be made", "name: 技能\ndescription: x", verdicts("valid invalid valid invalid invalid valid")],
  ])("%s gets the verdict of each profile [S-4]", (_, yaml, expected) => {
    const found = profiles.map((profile) => [
      profile,
      validateText(skill(yaml), profile).valid ? "valid" : "invalid",
    ]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test("reports tolerated problems as warnings under strict [S-4]", () => {
    const text = `\uFEFF---\nname: a\ndescription: x\nlicense: [MIT]\nmetadata: {v: 1.0}\nallowed-tools: [Read]\n---\nbody\n`;
    expect(verdict(text, "strict")).toEqual({
      errors: [],
      warnings: ["BOM", "LICENSE_NOT_STRING", "METADATA_NOT_STRING_MAP", "ALLOWED_TOOLS_NOT_STRING"],
    });
  });

  test("lenient warns about unknown fields only [S-4]", () => {
    expect(verdict(skill(`${PLAIN}\ntags: [a]\nversion: 1.0.0`), "lenient").warnings).toEqual([]);
    expect(verdict(skill(`${PLAIN}\ntagz: [a]`), "lenient").warnings).toEqual(["UNRECOGNISED_FIELDS"]);
  });

  test("a folder that does not look like an id is a warning when loading [S-5]", () => {
    expect(verdict(skill(PLAIN), "lenient", { folder: "My Skill" }).warnings).toEqual([
      "ID_SLUGIFIED",
      "NAME_DIR_MISMATCH",
    ]);
  });

  test("mcp warns about YAML that simple parsers do not understand [S-4]", () => {
    const yaml = 'name: demo\ndescription: "a\n  b"\nx: {a: b,\n  c: d}\ny: |2\n   z\nz: &z 1';
    const { diagnostics } = validateText(skill(yaml), "mcp");
    expect(diagnostics.map(({ code }) => code)).toEqual(["MCP_YAML_SUBSET"]);
    expect(diagnostics[0]?.message).toMatch(
      /multi-line quoted text, multi-line flow collection, indented block scalar, anchor/,
    );
  });

  test("a malformed runtime or requirement is a warning everywhere [S-7] [S-8]", () => {
    for (const profile of profiles) {
      const { warnings } = verdict(
        skill(`${PLAIN}\nruntime: 123\nmetadata:\n  openclaw: "{broken"`),
        profile,
      );
      expect(warnings).toEqual(expect.arrayContaining(["RUNTIME_MALFORMED", "OPENCLAW_MALFORMED"]));
    }
  });
});

describe("size advice", () => {
  test("long instructions are a warning and never an error [S-11]", () => {
    const text = `---\n${PLAIN}\n---\n${"word ".repeat(10_000)}\n${"line\n".repeat(501)}`;
    expect(verdict(text, "strict")).toEqual({
      errors: [],
      warnings: ["TOO_MANY_LINES", "BODY_TOO_MANY_TOKENS"],
    });
  });

  test("authoring asks for less than 300 lines, including references [S-11]", () => {
    const text = `---\n${PLAIN}\n---\n${"line\n".repeat(297)}`;
    const files = [
      { path: "references/long.md", size: 1, lines: 301 },
      { path: "scripts/long.py", size: 1, lines: 3000 },
    ];
    const { diagnostics } = validateText(text, "authoring", { files });
    expect(diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["TOO_MANY_LINES_FOR_AUTHORING", undefined],
      ["TOO_MANY_LINES_FOR_AUTHORING", "references/long.md"],
    ]);
  });

  test("rejects a SKILL.md over 100 KB when publishing [S-11]", () => {
    const files = [{ path: "SKILL.md", size: 100 * 1024 + 1 }];
    expect(verdict(skill(PLAIN), "publish", { files }).errors).toEqual(["WRITTEN_FILE_TOO_LARGE"]);
    expect(verdict(skill(PLAIN), "lenient", { files }).errors).toEqual([]);
  });

  test("exceeding the limits of MCP clients is an error under mcp [S-4]", () => {
    const files = Array.from({ length: 513 }, (_, index) => ({ path: `assets/${index}`, size: 1 }));
    expect(verdict(skill(PLAIN), "mcp", { files }).errors).toEqual(["MCP_TOO_LARGE"]);
  });
});

test("every diagnostic has a code, severity, position, message and fix [S-4]", () => {
  const text = '---\nname: "A B"\nlicense: [x]\nruntime: 1\nextra: *nowhere\n---\n';
  for (const profile of profiles) {
    const { diagnostics } = validateText(text, profile, { folder: "Else" });
    expect(diagnostics.length).toBeGreaterThan(3);
    for (const diagnostic of diagnostics) expect(Diagnostic.parse(diagnostic)).toEqual(diagnostic);
  }
});

test("every rule has a fix and at most the severity error in each profile [S-4]", () => {
  for (const { grades, fix } of Object.values(ruleTable)) {
    expect(grades).toHaveLength(profiles.length);
    expect(fix).toMatch(/^[A-Z].*\.$/);
  }
});

function verdicts(words: string): Record<Profile, string> {
  const values = words.split(" ");
  // The words stand in the order of the profiles, one for each.
  return Object.fromEntries(profiles.map((profile, index) => [profile, values[index]])) as Record<
    Profile,
    string
  >;
}

test.each([
  ["Bash(git:*) Read", 1],
  ["Bash(python3:*), Bash(unheard-of:*)", 2],
  ["Bash(git log:*) Bash(jq:*) Bash(scripts/a.sh:*) Bash(python3 scripts/a.py:*) Bash", 0],
])("allowed-tools %s has %d prefixes without effect as a limit [S-30] [S-4]", (tools, count) => {
  const { diagnostics } = validateText(skill(`${PLAIN}\nallowed-tools: ${tools}`), "publish", {});
  const found = diagnostics.filter(({ code }) => code === "ALLOWED_TOOLS_NO_LIMIT");
  expect(found).toHaveLength(count);
  for (const { message, severity } of found)
    expect({ message, severity }).toEqual({
      message: expect.stringContaining("needs a person for each command"),
      severity: "warning",
    });
});
