import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { LogEntry } from "@skillhold/gateway";
import { defaultLimits } from "@skillhold/protocol/limits";
import { verifyAudit } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Retention } from "./retention.ts";

const HOUR_MS = 3_600_000;
const start = Date.parse("2026-01-01T00:00:00.000Z");
let folder: string;
let store: RegistryStore;
let now: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-retention-"));
  store = await openRegistryStore(`sqlite:${join(folder, "registry.db")}`);
  now = start;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const use = (ms: number) =>
  store.transaction((tx) =>
    tx.append({ type: "session.closed", at: new Date(ms).toISOString(), session: "s" }),
  );

function open(log: (entry: LogEntry) => void, reader = store) {
  const timers = new ManualTimers();
  const registry = { store: reader, clock: { now: () => new Date(now) }, limits: defaultLimits };
  return { timers, retention: new Retention({ auditDays: 1, outputsDays: 2 }, { registry, timers, log }) };
}

test("prunes at the start and every hour, and logs how much [S-71]", async () => {
  for (const hours of [-30, -25, -1]) await use(start + hours * HOUR_MS);
  const entries: LogEntry[] = [];
  const { timers, retention } = open((entry) => entries.push(entry));
  await expect.poll(() => entries).toMatchObject([{ event: "audit.pruned", fields: { count: 2 } }]);
  now += 24 * HOUR_MS;
  timers.advance(HOUR_MS);
  await expect.poll(() => entries.length).toBe(2);
  await retention.close();
  expect(timers.delays).toEqual([]);
  expect(await store.lastPruned()).toBe(3);
  expect(await verifyAudit(store, { keys: [] })).toMatchObject({ isSound: true });
});

test("logs a failure and tries again after an hour [S-71]", async () => {
  await use(start - 48 * HOUR_MS);
  let isDown = true;
  const broken = {
    ...store,
    lastPruned: async () => {
      if (isDown) throw new Error("down");
      return await store.lastPruned();
    },
  };
  const entries: LogEntry[] = [];
  const { timers, retention } = open((entry) => entries.push(entry), broken);
  await expect.poll(() => entries).toMatchObject([{ level: "error", event: "audit.prune_failed" }]);
  isDown = false;
  timers.advance(HOUR_MS);
  await expect.poll(() => entries.at(-1)).toMatchObject({ event: "audit.pruned", fields: { count: 1 } });
  await retention.close();
});

test("prunes outputs of runs after their own number of days, in batches [S-59] [S-71]", async () => {
  const put = (run: string, ms: number) => {
    const about = { run, session: "s", at: new Date(ms).toISOString(), input: undefined, result: undefined };
    return store.transaction((tx) => tx.putRunOutput({ ...about, stdout: "out", stderr: "" }));
  };
  for (let at = 0; at < 120; at += 1) await put(`old-${at}`, start - 49 * HOUR_MS);
  await put("new", start - 47 * HOUR_MS);
  const entries: LogEntry[] = [];
  const { timers, retention } = open((entry) => entries.push(entry));
  await expect.poll(() => entries).toMatchObject([{ event: "outputs.pruned", fields: { count: 120 } }]);
  expect((await store.listRunOutputs("s")).map(({ run }) => run)).toEqual(["new"]);
  now += 2 * HOUR_MS;
  timers.advance(HOUR_MS);
  await expect.poll(() => store.listRunOutputs("s")).toEqual([]);
  await retention.close();
});
