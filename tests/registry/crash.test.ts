import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { crash } from "../soak/crash.ts";
import { engines } from "./scene.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-crash-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** `npm run soak` runs this a thousand times. */
test.each(engines)(
  "killed publishers lose no acknowledged skill and leave no partial one, on %s [S-41]",
  async (engine) => {
    const url = engine === "sqlite" ? `sqlite:${join(folder, "registry.db")}` : await freshDatabase();
    // Longer than a publish takes on a busy machine.
    const { acknowledged, ...report } = await crash({ url, folder, kills: 15, atOnce: 2, speed: 200 });
    expect(report).toEqual({ kills: 15, lost: [], halfVisible: [], findings: [], errors: [] });
    expect(acknowledged).toBeGreaterThanOrEqual(12);
  },
);
