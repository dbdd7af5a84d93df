import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSkillFile } from "@skillhold/core/bundle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFolder } from "./replace-folder.ts";
import { findSwaps } from "./swap-folder.ts";

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

const isExpected = async (old: string) => readdirSync(old).join() === "old.md";

test("replaces a folder as a whole and moves extra files to the new one [S-46]", async () => {
  await replaceFolder(place, [file("SKILL.md"), file("a/b/c.md")], { extras: [".git"], isExpected });
  expect(readdirSync(place).sort()).toEqual([".git", "SKILL.md", "a"]);
  expect(readFileSync(join(place, ".git/HEAD"), "utf8")).toBe("mine");
  expect(readdirSync(root)).toEqual(["hello"]);
});

test.each([
  ["before the first move", [file("a"), file("a/b.md")], [".git"]],
  ["after the first move", [file("SKILL.md")], [".git", "gone"]],
])("a failure %s leaves the old folder unchanged [S-46]", async (_when, files, extras) => {
  await expect(replaceFolder(place, files, { extras, isExpected })).rejects.toMatchObject({
    code: "IO_FAILED",
  });
  expect(readdirSync(place).sort()).toEqual([".git", "old.md"]);
  expect(readFileSync(join(place, ".git/HEAD"), "utf8")).toBe("mine");
  expect(readdirSync(root)).toEqual(["hello"]);
});

test("keeps a folder that was edited after the check [S-46]", async () => {
  writeFileSync(join(place, "new.md"), "edit");
  await expect(
    replaceFolder(place, [file("SKILL.md")], { extras: [".git"], isExpected }),
  ).rejects.toMatchObject({ code: "CONFLICT" });
  expect(readdirSync(place).sort()).toEqual([".git", "new.md", "old.md"]);
  expect(readFileSync(join(place, ".git/HEAD"), "utf8")).toBe("mine");
  expect(readdirSync(root)).toEqual(["hello"]);
});

test("names and keeps the content that cannot be restored [S-46]", async () => {
  const taken = async () => {
    mkdirSync(place);
    writeFileSync(join(place, "theirs.md"), "theirs");
    return false;
  };
  const replacing = replaceFolder(place, [file("SKILL.md")], { extras: [".git"], isExpected: taken });
  const [name = ""] = await replacing.then(
    () => [],
    () => findSwaps(root),
  );
  await expect(replacing).rejects.toMatchObject({
    code: "IO_FAILED",
    message: expect.stringContaining(name),
  });
  expect(readFileSync(join(root, name, "old/old.md"), "utf8")).toBe("old");
  expect(readFileSync(join(root, name, "new/.git/HEAD"), "utf8")).toBe("mine");
  expect(readdirSync(place)).toEqual(["theirs.md"]);
});

test("a missing folder has no leftovers [S-46]", () => {
  expect(findSwaps(join(root, "nowhere"))).toEqual([]);
});
