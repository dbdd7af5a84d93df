import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closeSwap, openSwap, recordSwap, recoverSwaps, type SwapRecord } from "./swap-folder.ts";

let root: string;
let parent: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-swap-"));
  parent = join(root, "skills");
  mkdirSync(parent);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The folder of a process that is gone: process ids end below this one. */
function abandoned(record: Partial<SwapRecord>): string {
  const own = openSwap(parent);
  const swap = join(parent, basename(own).replace(`-${process.pid}-`, "-999999999-"));
  closeSwap(own);
  mkdirSync(swap);
  recordSwap(swap, { name: "pdf", action: "replace", extras: [], ...record });
  return swap;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test("puts the old folder back with its extra files [S-47]", () => {
  const swap = abandoned({ extras: [".git"] });
  write(join(swap, "old/SKILL.md"), "old");
  write(join(swap, "new/.git/HEAD"), "mine");
  recoverSwaps(parent);
  expect(readdirSync(parent)).toEqual(["pdf"]);
  expect(readFileSync(join(parent, "pdf/.git/HEAD"), "utf8")).toBe("mine");
});

test("leaves the folder of a running process, and of an unknown one [S-47]", () => {
  const own = openSwap(parent);
  recordSwap(own, { name: "pdf", action: "replace", extras: [] });
  write(join(own, "old/SKILL.md"), "old");
  const parentProcess = join(parent, basename(own).replace(`-${process.pid}-`, `-${process.ppid}-`));
  mkdirSync(parentProcess);
  mkdirSync(join(parent, ".skillhold-a1b2c3"));
  recoverSwaps(parent);
  expect(readdirSync(parent).length).toBe(3);
  closeSwap(own);
});

test("keeps the old folder when another program created the place in between [S-47]", () => {
  const swap = abandoned({});
  write(join(swap, "old/SKILL.md"), "old");
  write(join(swap, "new/SKILL.md"), "new");
  write(join(parent, "pdf/SKILL.md"), "theirs");
  recoverSwaps(parent);
  expect(readFileSync(join(swap, "old/SKILL.md"), "utf8")).toBe("old");
  expect(readFileSync(join(parent, "pdf/SKILL.md"), "utf8")).toBe("theirs");
});

test.each([
  ["a path outside of the folder", { extras: ["../../../secret"] }, false],
  ["a link to another folder", { extras: ["secret"] }, true],
  ["a link below the folder", { extras: ["sub/secret"] }, false],
  ["a place outside of the folder", { name: ".." }, false],
])("a record with %s moves no file [S-47]", (_, record, isLinked) => {
  write(join(root, "secret"), "mine");
  const swap = abandoned(record);
  mkdirSync(join(swap, "old"));
  if (isLinked) symlinkSync(root, join(swap, "new"));
  else {
    mkdirSync(join(swap, "new"));
    symlinkSync(root, join(swap, "new/sub"));
  }
  recoverSwaps(parent);
  expect(readFileSync(join(root, "secret"), "utf8")).toBe("mine");
  expect(readdirSync(parent)).toEqual([basename(swap)]);
});
