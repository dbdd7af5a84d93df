import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = resolve(import.meta.dirname, "../scripts/check-language.mjs");
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-language-"));
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  mkdirSync(join(root, "scripts"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("rejects private phrases in comments, messages and documents, with a replacement [S-72]", () => {
  write(
    "packages/core/src/a.ts",
    '// It mends the file.\nthrow new SkillError("USAGE", "It is missing.");\n',
  );
  write("docs/guide.md", "# Guide\n\nThe cache is called off.\n");
  const { status, stdout } = check("--report");
  expect(status).toBe(1);
  expect(stdout).toContain('packages/core/src/a.ts:1: "mends" → fix');
  expect(stdout).toContain('packages/core/src/a.ts:2: "It is missing." → name the subject');
  expect(stdout).toContain('docs/guide.md:3: "called off" → cancel');
});

test("ignores code spans, code blocks, identifiers, file names and strings that users do not see [S-72]", () => {
  write(
    "packages/core/src/a.ts",
    '// Calls `mend` of told-candidate.ts and toldOf.\nconst pattern = /\'mend/;\nconst key = "mend"; // A key.\n',
  );
  write("docs/guide.md", "# Guide\n\nUse `mend`.\n\n```sh\nmend what is over\n```\n");
  expect(check()).toMatchObject({ status: 0, stderr: "" });
});

test("an allowance can shrink and never grow [S-72]", () => {
  const file = "packages/core/src/a.ts";
  write(file, "// Mend this, mend that.\n");
  check("--update");
  expect(check().status).toBe(0);
  write(file, "// Mend this, mend that, mend more.\n");
  check("--update");
  expect(check().status).toBe(1);
  write(file, "// Mend this.\n");
  check("--update");
  const allowance = JSON.parse(readFileSync(join(root, "scripts/language-allowance.json"), "utf8"));
  expect(allowance).toEqual({ core: { phrases: 1 } });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function check(
  ...args: readonly string[]
): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  const env = { ...process.env, LANGUAGE_ROOT: root };
  return spawnSync(process.execPath, [script, ...args], { cwd: root, env, encoding: "utf8" });
}
