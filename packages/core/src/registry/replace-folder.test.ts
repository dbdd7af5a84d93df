import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashSkillFile } from "../bundle/index.ts";
import { replaceFolder } from "./replace-folder.ts";

let root: string;
let place: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-replace-"));
  place = join(root, "hello");
  mkdirSync(join(place, ".git"), { recursive: true });
  writeFileSync(join(place, ".git/HEAD"), "mine");
  writeFileSync(join(place, "old.md"), "old");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (path: string) => {
  const content = new TextEncoder().encode(path);
  return { path, size: content.length, executable: false, digest: hashSkillFile(content), content };
};

test("a folder is replaced whole, and what is not the skill's moves over [S-46]", () => {
  replaceFolder(place, [file("SKILL.md"), file("a/b/c.md")], [".git"]);
  expect(readdirSync(place).sort()).toEqual([".git", "SKILL.md", "a"]);
  expect(readFileSync(join(place, ".git/HEAD"), "utf8")).toBe("mine");
  expect(readdirSync(root)).toEqual(["hello"]);
});

test.each([
  ["before anything was moved", [file("a"), file("a/b.md")], [".git"]],
  ["after something was moved", [file("SKILL.md")], [".git", "gone"]],
])("a failure %s leaves everything as it was [S-46]", (_when, files, extras) => {
  expect(() => replaceFolder(place, files, extras)).toThrow(expect.objectContaining({ code: "IO_FAILED" }));
  expect(readdirSync(place).sort()).toEqual([".git", "old.md"]);
  expect(readFileSync(join(place, ".git/HEAD"), "utf8")).toBe("mine");
  expect(readdirSync(root)).toEqual(["hello"]);
});
