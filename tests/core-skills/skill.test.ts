import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack, treeHash } from "@skillhold/core/bundle";
import { openSkill, surveySkill } from "@skillhold/core/source";
import { buildSkills, workspacePlaces } from "@skillhold/core-skills/build";
import { estimateTokens, type Profile, scalarText, validateSkill } from "@skillhold/skill";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const skills = join(import.meta.dirname, "../../skills");
const ids = ["docx", "memory-curation", "pdf", "pptx", "skill-authoring", "skill-creator", "xlsx"] as const;

/** Skills of instructions alone. */
const textOnly: readonly string[] = ["memory-curation", "skill-authoring"];

const clean = mkdtempSync(join(tmpdir(), "skillhold-clean-"));

beforeAll(async () => {
  await buildSkills(workspacePlaces);
  await buildSkills({ ...workspacePlaces, skills: clean });
});
afterAll(() => rmSync(clean, { recursive: true, force: true }));

test("the product has these seven skills [S-40]", () => {
  const folders = readdirSync(skills).filter((name) => existsSync(join(skills, name, "SKILL.md")));
  expect(folders.sort()).toEqual([...ids]);
});

describe.each(ids)("%s", (id) => {
  const folder = join(skills, id);

  test.each(["strict", "authoring", "publish", "mcp"] as const)(
    "passes the profile %s without a warning [S-40]",
    async (profile: Profile) => {
      const opened = openSkill(folder);
      const subject = await surveySkill(opened);
      const { valid, diagnostics } = validateSkill(opened.skill, subject, profile);
      expect(diagnostics.filter(({ severity }) => severity !== "info")).toEqual([]);
      expect(valid).toBe(true);
    },
  );

  test("has a description of at most 80 tokens that says when to use it and when not [S-40]", () => {
    const { skill } = openSkill(folder);
    const description = scalarText(skill, "description") ?? "";
    expect(estimateTokens(description)).toBeLessThanOrEqual(80);
    expect(description).toMatch(/Use when/);
    expect(description).toMatch(/\bNot for\b/);
    for (const path of ["SKILL.md", ...listReferences(folder)]) {
      expect(readFileSync(join(folder, path), "utf8").split("\n").length, path).toBeLessThan(300);
    }
  });

  test("links every reference from SKILL.md, and none from another reference [S-40]", () => {
    const text = readFileSync(join(folder, "SKILL.md"), "utf8");
    for (const path of listReferences(folder)) {
      expect(text).toContain(`(${path})`);
      expect(readFileSync(join(folder, path), "utf8")).not.toMatch(/\]\([\w./-]+\.md\)/);
    }
  });

  test("names its author, version and tags [S-40]", () => {
    const text = readFileSync(join(folder, "SKILL.md"), "utf8");
    expect(text).toMatch(
      /^metadata:\n {2}author: Skillhold\n {2}version: "\d+\.\d+\.\d+"\n {2}tags: [a-z, ]+$/m,
    );
  });

  test("has eight evals with expectations, and queries that should and should not trigger it [S-40]", () => {
    const { skill_name, evals } = readJson(folder, "evals/evals.json");
    expect(skill_name).toBe(id);
    expect(evals.length).toBeGreaterThanOrEqual(8);
    expect(new Set(evals.map((each: { id: number }) => each.id)).size).toBe(evals.length);
    for (const each of evals) {
      expect(each).toMatchObject({ prompt: expect.any(String), expected_output: expect.any(String) });
      expect(each.expectations.length).toBeGreaterThan(0);
      for (const file of each.files) expect(existsSync(join(folder, file)), file).toBe(true);
    }
    const triggers: readonly { query: string; should_trigger: boolean }[] = readJson(
      folder,
      "evals/triggers.json",
    );
    const wanted = triggers.filter(({ should_trigger }) => should_trigger).length;
    expect(wanted).toBeGreaterThanOrEqual(8);
    expect(triggers.length - wanted).toBeGreaterThanOrEqual(8);
    expect(new Set(triggers.map(({ query }) => query)).size).toBe(triggers.length);
  });

  test.runIf(textOnly.includes(id))("packs all its files, which are text [S-13] [S-40]", async () => {
    const bundle = await pack(folder);
    expect(bundle.omitted).toEqual([]);
    expect(bundle.strayReferences).toEqual([]);
    for (const { path } of bundle.files) expect(path).toMatch(/\.(?:md|json)$/);
  });

  test.skipIf(textOnly.includes(id))(
    "packs its program, helpers and licenses, and no other file from outside [S-13] [S-40]",
    async () => {
      const bundle = await pack(folder);
      const paths = bundle.files.map(({ path }) => String(path));
      expect(paths).toEqual(
        expect.arrayContaining(["SKILL.md", `scripts/${id}.mjs`, "scripts/LICENSES.txt"]),
      );
      expect(bundle.omitted).toEqual([]);
      expect(bundle.strayReferences).toEqual([]);
      for (const { path, origin } of bundle.files.filter(({ path }) => path.endsWith(".mjs"))) {
        for (const target of importsOf(readFileSync(origin, "utf8"))) {
          expect(paths, `${path} imports ${target}`).toContain(join(path, "..", target));
        }
      }
      expect(paths).toContain("_shared/program.mjs");
    },
  );

  test.skipIf(textOnly.includes(id))(
    "has the same tree hash when it is built in a clean folder [S-13] [S-40]",
    async () => {
      // Only hand-written files are copied; the scripts were built in the clean folder.
      for (const name of readdirSync(folder).filter((each) => !["scripts", "_shared"].includes(each))) {
        cpSync(join(folder, name), join(clean, id, name), { recursive: true });
      }
      const bundle = await pack(join(clean, id));
      expect(bundle.files.map(({ path }) => String(path))).toContain(`scripts/${id}.mjs`);
      expect(await treeHash(bundle)).toEqual(await treeHash(await pack(folder)));
    },
  );
});

function listReferences(folder: string): readonly string[] {
  const references = join(folder, "references");
  return existsSync(references) ? readdirSync(references).map((name) => `references/${name}`) : [];
}

function readJson(folder: string, path: string) {
  return JSON.parse(readFileSync(join(folder, path), "utf8"));
}

/** The relative modules that a built module imports, statically or dynamically. */
function importsOf(text: string): readonly string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.\.?\/[\w./-]+\.mjs)["']/g);
  return [...new Set([...found].map(([, path = ""]) => path))];
}
