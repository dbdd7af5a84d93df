import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { canonicalJson, chainHash } from "@skillhold/registry/audit";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import type { Tx } from "../engine/db.ts";
import { sql } from "../engine/sql.ts";
import { migrate } from "./migration.ts";
import { type Migration, migrations } from "./migration-table.ts";
import { withDb } from "./raw-registry.fixture.ts";
import { at, deleted } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-migration-kill-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const engines = [
  { engine: "SQLite", freshUrl: async () => `sqlite:${join(mkdtempSync(join(root, "db-")), "registry.db")}` },
  { engine: "PostgreSQL", freshUrl: freshDatabase },
];
const moduleUrl = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);

/** A process that migrates and kills itself after the statements of a step, before the commit. */
async function killAt(step: number, url: string): Promise<unknown> {
  const script = `
    import { migrate } from ${moduleUrl("migration.ts")};
    import { migrations } from ${moduleUrl("migration-table.ts")};
    import { withDb } from ${moduleUrl("raw-registry.fixture.ts")};
    const [url, step] = process.argv.slice(1);
    const steps = migrations.map((each, at) => at !== Number(step) ? each : {
      ...each,
      fill: async (tx) => {
        await each.fill?.(tx);
        process.kill(process.pid, "SIGKILL");
        await new Promise(() => {});
      },
    });
    await withDb(url, (db) => migrate(db, { now: () => new Date(0) }, steps));`;
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script, url, String(step)];
  const child = spawn(process.execPath, flags, { stdio: "ignore" });
  const [, signal] = await once(child, "close");
  return signal;
}

/** A migration that fails after the statements of a step, before the commit. */
async function failAt(step: number, url: string): Promise<void> {
  const steps = migrations.map((each, at) => (at === step ? failing(each) : each));
  await withDb(url, (db) => migrate(db, { now: () => new Date(0) }, steps));
}

const FAILURE = "failed before the commit";

function failing(step: Migration): Migration {
  const fill = async (tx: Tx) => {
    await step.fill?.(tx);
    throw new Error(FAILURE);
  };
  return { ...step, fill };
}

describe.each(engines)("a process killed during a migration on $engine", ({ freshUrl }) => {
  test("leaves the old version, as a failure at any step does, and the next one upgrades it [S-64]", async () => {
    const url = await freshUrl();
    const body = canonicalJson(deleted("a"));
    await withDb(url, async (db) => {
      await migrate(db, { now: () => new Date(0) }, migrations.slice(0, 1));
      await db.transaction((tx) =>
        tx.run(sql`insert into event (seq, at, type, skill, body, hash)
          values (1, ${at}, 'skill.deleted', 'a', ${body}, ${chainHash("0".repeat(64), body)})`),
      );
    });
    // A process takes most of the time of a step, so the steps between only fail.
    const killed = new Set([1, Math.floor(migrations.length / 2), migrations.length - 1]);
    for (let step = 1; step < migrations.length; step += 1) {
      if (killed.has(step)) expect(await killAt(step, url)).toBe("SIGKILL");
      else await expect(failAt(step, url)).rejects.toThrow(FAILURE);
      const done = await withDb(url, (db) =>
        db.all(sql`select id from migration`, z.object({ id: z.int() })),
      );
      expect([step, done]).toEqual([step, [{ id: 1 }]]);
    }
    const store = await openRegistryStore(url);
    expect((await store.eventsAfter(0, 10)).map(({ event }) => event)).toEqual([deleted("a")]);
    expect(await store.transaction((tx) => tx.append(deleted("b")))).toBe(2);
    expect(await store.listBrokenEvents()).toEqual([]);
    await store.close();
  });
});
