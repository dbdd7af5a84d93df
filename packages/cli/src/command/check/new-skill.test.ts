import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "@skillhold/core/bundle";
import { openSkill } from "@skillhold/core/test/source/open-skill";
import { parseSkill, scalarText, validateSkill } from "@skillhold/skill";
import { skillTemplates } from "@skillhold/skill/test/template/skill-template";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { initSkill } from "./new-skill.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-init-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.each(skillTemplates)("the template %s", (template) => {
  test("is a skill without a finding under strict and authoring [S-11]", async () => {
    const { folder, files } = initSkill(root, { name: "my-skill", template });
    const { skill, subject } = openSkill(folder);
    const bundle = await pack(folder);
    const listed = bundle.files.map(({ path, size, origin }) => {
      const lines = readFileSync(origin, "utf8").split("\n").length;
      return { path, size, lines };
    });
    for (const profile of ["strict", "authoring", "publish"] as const) {
      const { diagnostics } = validateSkill(skill, { ...subject, files: listed }, profile);
      expect(diagnostics).toEqual([]);
    }
    expect(bundle.files.map(({ path }) => path)).toEqual(files.toSorted());
    expect(bundle.omitted).toEqual([]);
  });

  test("names only files that it writes [S-1]", () => {
    const { folder, files } = initSkill(root, { name: "my-skill", template });
    const text = readFileSync(join(folder, "SKILL.md"), "utf8");
    const named = text.match(/(?:scripts|references|tools)\/[\w.-]+/g) ?? [];
    expect(files).toEqual(["SKILL.md", ...new Set(named)]);
  });
});

test.each([
  ["script", "scripts/main.mjs", process.execPath],
  ["python", "scripts/main.py", "python3"],
] as const)(
  "the script of a new %s skill runs and does what its instructions say [S-1]",
  (template, path, program) => {
    const { folder } = initSkill(root, { name: "count-words", template });
    const script = join(folder, path);
    expect(statSync(script).mode & 0o111).toBe(0o111);
    const output = execFileSync(program, [script, "one two", "three"], { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual({ words: 3, lines: 1 });
  },
);

test("a new skill has the name of its folder and the description it was given [S-5]", () => {
  const { folder } = initSkill(join(root, "deep/er"), {
    name: "pdf-forms",
    description: "Fills: forms.\n\n#1 ",
  });
  expect(folder).toBe(join(root, "deep/er/pdf-forms"));
  const skill = parseSkill(readFileSync(join(folder, "SKILL.md")));
  expect(scalarText(skill, "name")).toBe("pdf-forms");
  expect(scalarText(skill, "description")).toBe("Fills: forms. #1");
  expect(skill.body).toContain("# Pdf forms");
});

test("any description comes back as it was given, or nothing is written [S-5]", () => {
  let count = 0;
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (description) => {
      count += 1;
      const name = `skill-${count}`;
      const line = description.trim().replace(/\s+/g, " ");
      try {
        const { folder } = initSkill(root, { name, description });
        expect(scalarText(parseSkill(readFileSync(join(folder, "SKILL.md"))), "description")).toBe(line);
      } catch (error) {
        expect(error).toMatchObject({ code: "SKILL_INVALID" });
        expect(readdirSync(root)).not.toContain(name);
      }
    }),
    { numRuns: 200 },
  );
});

test("a new skill is never written over what is there [S-1]", () => {
  mkdirSync(join(root, "taken"));
  writeFileSync(join(root, "taken/notes.txt"), "mine");
  writeFileSync(join(root, "file"), "mine");
  for (const name of ["taken", "file"]) {
    expect(() => initSkill(root, { name })).toThrow(expect.objectContaining({ code: "CONFLICT" }));
  }
  expect(readdirSync(join(root, "taken"))).toEqual(["notes.txt"]);
  mkdirSync(join(root, "empty"));
  expect(initSkill(root, { name: "empty" }).files).toEqual(["SKILL.md"]);
});

test.each(["My Skill", "../up", "a/b", "upload", "", "技能", "-a", "a".repeat(65)])(
  "rejects the name %j and suggests a valid one [S-5]",
  (name) => {
    expect(() => initSkill(root, { name })).toThrow(expect.objectContaining({ code: "USAGE" }));
    expect(readdirSync(root)).toEqual([]);
  },
);

test("the advice for a bad name is the nearest good one [S-5]", () => {
  expect(() => initSkill(root, { name: "My Skill" })).toThrow(
    expect.objectContaining({ hint: "Choose a name such as my-skill." }),
  );
});

test("rejects a description that is too long before it writes anything [S-2]", () => {
  const act = () => initSkill(root, { name: "long", description: "x".repeat(1025) });
  expect(act).toThrow(expect.objectContaining({ code: "SKILL_INVALID" }));
  expect(readdirSync(root)).toEqual([]);
});
