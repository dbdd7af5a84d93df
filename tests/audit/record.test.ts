import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { recordRun } from "../soak/audit-record.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-record-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `npm run soak -- record` runs this five hundred times. */
test.each([
  ["sqlite", 8],
  ["postgres", 4],
] as const)(
  "content is delivered and code runs only after its record is durable, whenever the process is killed, on %s [S-62]",
  async (engine, kills) => {
    const url = engine === "sqlite" ? `sqlite:${join(folder, "registry.db")}` : await freshDatabase();
    const { handed, begun, ...report } = await recordRun({ url, folder, kills });
    expect(report).toEqual({ kills, unrecorded: [], problems: [], errors: [] });
    // Up to one in five may be killed before it starts working.
    expect(handed).toBeGreaterThanOrEqual(kills - Math.floor(kills / 5));
    expect(begun).toBeGreaterThan(0);
  },
);
