import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pruneOutputs } from "./output-folder.ts";

const before = new Date("2026-01-10T00:00:00.000Z");
const old = new Date("2026-01-01T00:00:00.000Z");
let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-outputs-"));
  folder = join(root, "outputs");
  mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function addRun(name: string, time: Date): string {
  const path = join(folder, name);
  mkdirSync(join(path, "deep"), { recursive: true });
  writeFileSync(join(path, "deep", "a.txt"), "a");
  utimesSync(path, time, time);
  return name;
}

test("removes the folders of old runs, and no other entry [S-71]", async () => {
  const [one, other] = [addRun(randomUUID(), old), addRun(randomUUID(), new Date("2026-01-11"))];
  addRun("mine", old);
  writeFileSync(join(folder, randomUUID()), "a file");
  expect(await pruneOutputs(folder, { before, dryRun: true })).toEqual([one]);
  expect(readdirSync(folder)).toHaveLength(4);
  expect(await pruneOutputs(folder, { before })).toEqual([one]);
  expect(readdirSync(folder)).toHaveLength(3);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([other, "mine"]));
});

test("follows no link out of the folder [S-71]", async () => {
  const outside = join(root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "kept"), "kept");
  utimesSync(outside, old, old);
  symlinkSync(outside, join(folder, randomUUID()));
  const run = addRun(randomUUID(), old);
  symlinkSync(outside, join(folder, run, "link"));
  utimesSync(join(folder, run), old, old);
  expect(await pruneOutputs(folder, { before })).toEqual([run]);
  expect(readdirSync(outside)).toEqual(["kept"]);
});
