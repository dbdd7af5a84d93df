import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, expect, test } from "vitest";
import { callProgram } from "../shared/program.fixture.ts";
import { makeTempFolder } from "../shared/temp-folder.fixture.ts";
import { makeProgram } from "./program.ts";

const folder = makeTempFolder(afterAll);
const program = makeProgram(join(import.meta.dirname, "../../../../skills/skill-creator/assets"));

async function call(...argv: readonly string[]) {
  return callProgram(program, argv, { cwd: folder });
}

function writeSkill(name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "SKILL.md"), text);
}

const GOOD = "---\nname: good\ndescription: Does good. Use when it helps.\n---\n\n# Good\n";

test("creates a valid skill for any description [S-40]", async () => {
  const description = 'Say "hi": #1 {{name}} \\ \'. Use when greeting';
  await call(
    "init",
    "new-one",
    "--out-dir",
    "skills",
    "--with",
    "script",
    "--with",
    "evals",
    "--description",
    description,
  );
  expect((await call("check", "skills/new-one")).json).toMatchObject({
    valid: true,
    name: "new-one",
    fileCount: 4,
  });
  const evals = JSON.parse(readFileSync(join(folder, "skills/new-one/evals/evals.json"), "utf8"));
  expect(evals.skill_name).toBe("new-one");
});

test("does not change an existing folder, and a dry run writes no files [S-40]", async () => {
  await call("init", "dry", "--out-dir", "skills", "--dry-run");
  expect((await call("check", "skills/dry")).json).toMatchObject({ error: { code: "FILE_NOT_FOUND" } });
  await call("init", "twice", "--out-dir", "skills");
  expect((await call("init", "twice", "--out-dir", "skills")).json).toMatchObject({
    error: { code: "FOLDER_EXISTS" },
  });
});

test.each(["Bad", "a--b", "-a", "a_b", "../a", "a".repeat(65)])(
  "rejects the skill name %s [S-40]",
  async (name) => {
    expect((await call("init", "--out-dir", "skills", "--", name)).code).toBe(2);
  },
);

test.each([
  ["no-frontmatter", "# Text\n", "NO_FRONTMATTER"],
  ["unclosed", "---\nname: unclosed\n", "FRONTMATTER_UNCLOSED"],
  ["colon", "---\nname: colon\ndescription: Use when: it is: so\n---\nx\n", "YAML_REPAIRED"],
  ["bomb", "---\na: &a [x, x]\nb: [*a, *a]\n---\nx\n", "UNKNOWN_FIELDS"],
  ["no-name", "---\ndescription: Use when so.\n---\nx\n", "NAME_MISSING"],
  ["other", GOOD, "NAME_DIR_MISMATCH"],
  ["no-description", "---\nname: no-description\n---\nx\n", "DESC_MISSING"],
  ["long", `---\nname: long\ndescription: ${"use ".repeat(300)}\n---\nx\n`, "DESC_TOO_LONG"],
  ["extra", "---\nname: extra\ndescription: Use when so.\nversion: 1\n---\nx\n", "UNKNOWN_FIELDS"],
])("reports the code of the validator for the skill %s [S-40]", async (name, text, code) => {
  writeSkill(name, text);
  expect((await call("check", name)).json).toMatchObject({
    valid: false,
    remarks: expect.arrayContaining([expect.objectContaining({ level: "error", code })]),
  });
  expect(await call("pack", name, "--out", `${name}.zip`)).toMatchObject({ code: 3, stdout: "" });
});

test("reports files that the instructions mention and that do not exist [S-40]", async () => {
  writeSkill("good", `${GOOD}\nSee [it](references/it.md) and \`scripts/run.mjs\`.\n`);
  const { json } = await call("check", "good");
  expect(json).toMatchObject({ valid: true, remarks: [{ code: "FILE_MISSING" }, { code: "FILE_MISSING" }] });
});

test("writes the same archive for the same skill, without junk and ignored files [S-40]", async () => {
  writeSkill("good", GOOD);
  mkdirSync(join(folder, "good/scripts"), { recursive: true });
  mkdirSync(join(folder, "good/node_modules/x"), { recursive: true });
  writeFileSync(join(folder, "good/node_modules/x/i.js"), "");
  writeFileSync(join(folder, "good/.env"), "SECRET=1");
  writeFileSync(join(folder, "good/.skillignore"), ".env\n");
  writeFileSync(join(folder, "good/scripts/run.sh"), "echo");
  chmodSync(join(folder, "good/scripts/run.sh"), 0o755);
  await call("pack", "good", "--out", "one.zip");
  await call("pack", "good", "--out", "two.zip");
  const archive = readFileSync(join(folder, "one.zip"));
  expect(archive).toEqual(readFileSync(join(folder, "two.zip")));
  expect(Object.keys(unzipSync(archive))).toEqual([
    "good/.skillignore",
    "good/SKILL.md",
    "good/scripts/run.sh",
  ]);
});

test("leaves a link out and does not follow it [S-40]", async () => {
  writeSkill("linked", GOOD.replace("name: good", "name: linked"));
  symlinkSync("/etc", join(folder, "linked/references"));
  expect((await call("check", "linked")).json).toMatchObject({
    valid: true,
    remarks: [{ level: "warning", code: "FILE_LEFT_OUT" }],
    files: ["SKILL.md"],
  });
});
