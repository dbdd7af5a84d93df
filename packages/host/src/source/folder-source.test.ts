import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundledSkills } from "../place/bundled.ts";
import { chooseFolders } from "./folder-source.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-source-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const trustOf = (root: readonly string[], cwd = folder) =>
  chooseFolders({ root }, { cwd, env: {} }, []).map(({ trust }) => trust);

test("the bundled skills are builtin, however their folder is found [S-14]", () => {
  const bundled = bundledSkills();
  symlinkSync(bundled, join(folder, "link"));
  expect(trustOf([bundled, join(bundled, "pdf"), "link"])).toEqual(["builtin", "builtin", "builtin"]);
  expect(trustOf([join(bundled, "pdf/SKILL.md")])).toEqual(["builtin"]);
  expect(trustOf([], dirname(bundled))).toContain("builtin");
});

test("a copy of a bundled skill has the trust of its place [S-14]", () => {
  mkdirSync(join(folder, "skills"));
  cpSync(join(bundledSkills(), "memory-curation"), join(folder, "skills/memory-curation"), {
    recursive: true,
  });
  expect(trustOf(["skills", "skills/memory-curation"])).toEqual(["user", "user"]);
  expect(trustOf([])).toEqual(["third_party"]);
});

test("a missing folder is named with its path [S-60]", () => {
  expect(() => trustOf(["nope"])).toThrow(
    expect.objectContaining({
      code: "PATH_NOT_FOUND",
      message: "The path nope does not exist.",
      hint: expect.stringContaining(join(folder, "nope")),
    }),
  );
});
