import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { tamperRun } from "./tamper-run.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-tamper-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `npm run soak -- audit` runs this a thousand times. */
test.each([
  ["sqlite", 120],
  ["postgres", 40],
] as const)(
  "an attacker with the database but without the key cannot change the log undetected, on %s [S-62]",
  async (engine, count) => {
    const url = engine === "sqlite" ? `sqlite:${join(folder, "registry.db")}` : await freshDatabase();
    const { missed, kinds } = await tamperRun({ url, count, pick: picker(7) });
    expect(missed).toEqual([]);
    expect(kinds).toBeGreaterThan(10);
  },
);

/** The same picks on every run, so that results change only with the code. */
function picker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
