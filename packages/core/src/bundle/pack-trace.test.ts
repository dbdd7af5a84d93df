import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PackTrace } from "./pack-trace.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-trace-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  [128 - 1, ["the look", "others"]],
  [128, ["others", "the look"]],
])("a look at %i places yields to other work [S-17]", async (count, order) => {
  const trace = new PackTrace(Date.now());
  for (let at = 0; at < count; at += 1) trace.look(join(root, String(at)));
  const ended: string[] = [];
  const others = new Promise<void>((resolve) => {
    setImmediate(() => {
      ended.push("others");
      resolve();
    });
  });
  expect(await trace.hasStayed()).toBe(true);
  ended.push("the look");
  await others;
  expect(ended).toEqual(order);
});

test("the age of a place comes from its change time, which users cannot set [S-17]", () => {
  const trace = new PackTrace(Date.now());
  const stats = lstatSync(root);
  for (const [name, more] of Object.entries({ ctime: { ctimeMs: 0 }, mtime: { mtimeMs: 0 } }))
    trace.add(name, Object.assign(lstatSync(root), { mtimeMs: 4e12, ctimeMs: stats.ctimeMs }, more));
  expect(trace.isAtRest("ctime")).toBe(true);
  expect(trace.isAtRest("mtime")).toBe(false);
});

test("without a usable clock, no place is old [S-17]", () => {
  for (const startMs of [Number.NaN, Number.NEGATIVE_INFINITY]) {
    const trace = new PackTrace(startMs);
    trace.look(root);
    expect(trace.isAtRest(root)).toBe(false);
  }
});
