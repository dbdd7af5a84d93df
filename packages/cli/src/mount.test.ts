import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readMounts } from "./mount.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-mount-")));
  mkdirSync(join(root, "data"));
  mkdirSync(join(root, "a:b"));
  symlinkSync("data", join(root, "link"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ["data", "data", "/mnt/data", false],
  ["data:rw", "data", "/mnt/data", true],
  ["data:ro", "data", "/mnt/data", false],
  ["data:/in", "data", "/in", false],
  ["data:/in:rw", "data", "/in", true],
  ["link", "data", "/mnt/data", false],
  ["a:b", "a:b", "/mnt/a:b", false],
])("%s mounts the real folder %s at %s, writable: %s [S-28] [S-29]", (text, source, target, isWritable) => {
  expect(readMounts([text], root)).toEqual([{ source: join(root, source), target, isWritable }]);
});

test("rejects a mount without a path [S-60]", () => {
  expect(() => readMounts([":/in"], root)).toThrow("has no path");
});
