import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSkills, workspacePlaces } from "../build.ts";
import { makeTempFolder } from "./shared/temp-folder.fixture.ts";

const folder = makeTempFolder(afterAll);
const places = { ...workspacePlaces, skills: join(folder, "skills") };
const scripts = join(places.skills, "pdf/scripts");

beforeAll(async () => {
  await buildSkills(places, ["pdf"]);
});

/** Every file below a folder with its bytes, without links. */
function readTree(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(root.length + 1), readFileSync(path, "latin1")]));
}

test("builds the same bytes from the same sources [S-40]", async () => {
  const again = { ...places, skills: join(folder, "again") };
  await buildSkills(again, ["pdf"]);
  expect(readTree(again.skills)).toEqual(readTree(places.skills));
});

test("writes no path of the build machine into the scripts [S-40]", () => {
  const workspace = join(import.meta.dirname, "../../..");
  for (const [path, text] of readTree(places.skills)) {
    expect(text.includes(workspace), path).toBe(false);
    expect(text.includes(folder), path).toBe(false);
  }
});

test("keeps our own code readable, and helpers and libraries in their own files [S-40]", () => {
  const own = readFileSync(join(scripts, "pdf.mjs"), "utf8");
  expect(own).toMatch(/^import .* from "\.\.\/_shared\/program\.mjs";$/m);
  expect(own).toContain("function appendDocument(target, source) {\n");
  expect(readdirSync(join(scripts, "lib"))).toEqual(expect.arrayContaining(["pdf-lib.mjs", "unpdf.mjs"]));
  const terms = readFileSync(join(scripts, "LICENSES.txt"), "utf8");
  expect(terms).toMatch(
    /@cantoo\/pdf-lib \d[\s\S]*marked \d[\s\S]*unpdf \d[\s\S]*PDF\.js[\s\S]*Apache License/,
  );
});

test("removes files of an earlier build [S-40]", async () => {
  const left = join(scripts, "lib/left-over.mjs");
  cpSync(join(scripts, "pdf.mjs"), left);
  await buildSkills(places, ["pdf"]);
  expect(existsSync(left)).toBe(false);
  await expect(buildSkills(places, ["nothing"])).rejects.toThrow(/no src\/<id>\/main\.ts for: nothing/);
});

test("runs a built skill from any folder, without the workspace [S-40]", () => {
  const skill = join(folder, "elsewhere/pdf");
  cpSync(scripts, join(skill, "scripts"), { recursive: true });
  cpSync(join(places.skills, "_shared"), join(skill, "_shared"), { recursive: true });
  const work = join(folder, "work");
  mkdirSync(work);
  const run = (args: readonly string[], input = "") =>
    execFileSync(process.execPath, [join(skill, "scripts/pdf.mjs"), ...args], {
      cwd: work,
      input,
      encoding: "utf8",
    });
  expect(run(["--help"])).toContain("Usage: node scripts/pdf.mjs <command>");
  expect(JSON.parse(run(["create", "-", "--out", "a.pdf"], "# Hello"))).toMatchObject({ ok: true, pages: 1 });
  expect(JSON.parse(run(["text", "a.pdf"]))).toMatchObject({ text: "=== page 1 ===\nHello\n" });
});

test("installation succeeds without the bundler and names the missing parts [S-40]", () => {
  const bare = join(folder, "bare");
  mkdirSync(bare);
  cpSync(join(import.meta.dirname, "../prepare.mjs"), join(bare, "prepare.mjs"));
  const { status, stderr } = spawnSync(process.execPath, [join(bare, "prepare.mjs")], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringContaining("rolldown is not installed"),
  });
  rmSync(bare, { recursive: true });
});
