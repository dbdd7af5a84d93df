import type { SkillEvent } from "@skillhold/protocol";
import { defaultLimits } from "@skillhold/protocol/limits";
import {
  followEvents,
  type PruneOptions,
  pruneAudit,
  type SeenLogState,
  verifyAudit,
} from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import { makeKey } from "@skillhold/registry/test/audit/memory-log.fixture";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { execute } from "./raw-registry.fixture.ts";
import { at, deleted, inSession } from "./registry.fixture.ts";
import { inProcess } from "./registry-process.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

/** The contract of every registry store for pruning its event log. */
export function registryPruningContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`pruning the log on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    const appendAll = (...events: readonly SkillEvent[]) => store.transaction((tx) => tx.appendAll(events));
    const rows = () => store.auditAfter(0, 100_000);
    const key = makeKey();
    const days = (count: number) => new Date(Date.parse(at) + count * 86_400_000);
    const later = () => ({ store, clock: { now: () => days(30) }, limits: defaultLimits });
    const use = (index: number) => inSession(`s${index % 3}`, `${index}`);
    const prune = (options: Partial<PruneOptions> = {}) => pruneAudit({ days: 7, ...options }, later());
    const report = () => verifyAudit(store, { keys: [key.trusted] });
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url, { signer: key.signer });
    });
    afterEach(() => store.close());

    test("removes the texts of old records of use, and the log verifies [S-62] [S-71]", async () => {
      await appendAll(use(1), deleted("a"), use(2), use(3));
      const before = await rows();
      expect(await prune({ dryRun: true })).toEqual({ count: 3, before: days(23).toISOString() });
      expect(await rows()).toEqual(before);
      expect(await prune()).toMatchObject({ count: 3 });
      const after = await rows();
      expect(after.map(({ type }) => type)).toEqual([
        "audit.key_changed",
        ...["", "skill.deleted", "", ""],
        "audit.pruned",
      ]);
      expect(after.slice(0, 5).map(({ hash: each }) => each)).toEqual(before.map(({ hash: each }) => each));
      expect(after[1]).toEqual({ seq: 2, hash: before[1]?.hash, at: "", type: "", body: "" });
      expect(JSON.parse(after[5]?.body ?? "")).toMatchObject({
        ...{ by: { user: "system", role: "system" }, count: 3, before: days(23).toISOString() },
        ranges: [
          { first: 2, last: 2 },
          { first: 4, last: 5 },
        ],
      });
      expect(await report()).toMatchObject({ entries: 6, isSound: true, isSigned: true });
      expect([await store.listBrokenEvents(), await store.lastPruned()]).toEqual([[], 5]);
      expect(await prune()).toMatchObject({ count: 0 });
      expect(await store.lastEvent()).toBe(6);
    });

    test("keeps what is not old, and goes on from there the next time [S-71]", async () => {
      const dated = (index: number) => ({ ...use(index), at: days(index).toISOString() });
      await appendAll(...Array.from({ length: 30 }, (_, index) => dated(index)));
      expect(await prune({ days: 20 })).toMatchObject({ count: 10 });
      expect(await prune({ days: 5 })).toMatchObject({ count: 15 });
      expect(await store.lastPruned()).toBe(26);
      expect((await store.eventsAfter(0, 100)).map(({ seq, pruned }) => [seq, pruned])).toEqual([
        [1, undefined],
        [27, 25],
        ...[28, 29, 30, 31, 32, 33].map((seq) => [seq, undefined]),
      ]);
      expect(await report()).toMatchObject({ isSound: true });
    });

    test("works in batches, beside writers in other processes [S-71]", async () => {
      await store.close();
      store = await openRegistryStore(url);
      await appendAll(...Array.from({ length: 3500 }, (_, index) => use(index)));
      const code = `
        const { pruneAudit } = await import("@skillhold/registry/audit");
        const { defaultLimits } = await import("@skillhold/protocol/limits");
        const clock = { now: () => new Date(${days(30).getTime()}) };
        return await pruneAudit({ days: 7 }, { store, clock, limits: defaultLimits });`;
      const writes = Array.from({ length: 20 }, (_, index) => appendAll(deleted("b", index + 1)));
      const found = await Promise.all([prune(), inProcess(url, code), ...writes]);
      const counts = found.slice(0, 2).map((each) => z.object({ count: z.int() }).parse(each).count);
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(3500);
      const pruned = (await store.eventsAfter(0, 10_000)).filter(
        ({ event }) => event.type === "audit.pruned",
      );
      expect(pruned.length).toBeGreaterThan(3);
      expect(await verifyAudit(store, { keys: [] })).toMatchObject({ isSound: true });
      expect(await store.listBrokenEvents()).toEqual([]);
    });

    test("a process that is killed leaves all or none of a batch [S-71]", async () => {
      await store.close();
      store = await openRegistryStore(url);
      await appendAll(...Array.from({ length: 1500 }, (_, index) => use(index)));
      const code = (kill: string) => `
        const step = { before: "${days(23).toISOString()}", at: "${days(30).toISOString()}", by: { user: "ann", role: "admin" } };
        await store.transaction(async (tx) => {
          await tx.pruneLog({ ...step, after: 0 });
          ${kill}
        });
        process.kill(process.pid, "SIGKILL");`;
      await expect(inProcess(url, code('process.kill(process.pid, "SIGKILL");'))).rejects.toThrow();
      expect([await store.lastEvent(), await store.lastPruned()]).toEqual([1500, 0]);
      await expect(inProcess(url, code(""))).rejects.toThrow();
      expect([await store.lastEvent(), await store.lastPruned()]).toEqual([1501, 1000]);
      expect(await verifyAudit(store, { keys: [] })).toMatchObject({ isSound: true });
      expect(await prune()).toMatchObject({ count: 500 });
      expect(await store.listBrokenEvents()).toEqual([]);
    });

    test("readers of the feed pass pruned entries, and no missing ones [S-62] [S-71]", async () => {
      await appendAll(use(1), deleted("a"), use(2), use(3));
      await prune();
      await appendAll(deleted("b"));
      const read = async () => {
        const ending = new AbortController();
        const seen: number[] = [];
        for await (const { seq } of followEvents(0, { signal: ending.signal }, store)) {
          seen.push(seq);
          if (seq === 7) ending.abort();
        }
        return seen;
      };
      expect(await read()).toEqual([1, 3, 6, 7]);
      const all = { order: "newest", limit: 10 } as const;
      expect((await store.listEvents(all)).map(({ seq }) => seq)).toEqual([7, 6, 3, 1]);
      expect(await store.eventsOfSession("s1")).toEqual([]);
      await execute(url, "delete from event where seq = 4");
      await expect(read()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
    });

    test("a writer with an older memory of the log goes on after a pruning [S-62]", async () => {
      let seen: SeenLogState | undefined;
      const memory = {
        load: async () => seen,
        save: async (state: SeenLogState) => {
          seen ??= state;
        },
      };
      const other = await openRegistryStore(url, { signer: key.signer, memory });
      await other.transaction((tx) => tx.append(use(1)));
      await other.close();
      await appendAll(use(2), use(3));
      await prune();
      const again = await openRegistryStore(url, { signer: key.signer, memory });
      expect(await again.transaction((tx) => tx.append(use(4)))).toBe(6);
      await again.close();
      // The same entries without a record.
      await appendAll(use(5));
      await execute(url, "update event set at = '', type = '', session = null, body = '' where seq = 7");
      const refusing = await openRegistryStore(url, { signer: key.signer, memory });
      await expect(refusing.transaction((tx) => tx.append(use(6)))).rejects.toMatchObject({
        code: "INTEGRITY_FAILED",
      });
      await refusing.close();
    });

    test.each([
      ["a key change", "seq = 1"],
      ["a record of a change", "seq = 3"],
      ["the record of the pruning", "type = 'audit.pruned'"],
      ["a newer record of use", "seq = 7"],
    ])("finds %s without a text [S-62]", async (_, where) => {
      await appendAll(use(1), deleted("a"), use(2), use(3));
      await prune();
      await appendAll({ ...use(4), at: days(29).toISOString() });
      await execute(
        url,
        `update event set at = '', type = '', skill = null, session = null, body = '' where ${where}`,
      );
      expect((await report()).problems).toContainEqual(expect.objectContaining({ code: "entry-removed" }));
      expect(await store.listBrokenEvents()).not.toEqual([]);
    });

    test("is refused on damaged entries, and to people who are not administrators [S-62]", async () => {
      await appendAll(use(1), use(2));
      for (const by of [
        { user: "bob", role: "publisher" },
        { user: "ann", agent: "x", role: "admin" },
      ] as const)
        await expect(prune({ by })).rejects.toMatchObject({ code: "POLICY_DENIED" });
      await execute(url, "update event set body = replace(body, 's1', 's9') where seq = 2");
      await expect(prune()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
      expect((await rows()).map(({ type }) => type)).not.toContain("audit.pruned");
    });

    test("leaves questions that can still be answered, whatever the age is [S-71]", async () => {
      await appendAll({ ...use(1), at: days(28).toISOString() });
      const limits = { ...defaultLimits, approvalOpenMs: 5 * 86_400_000 };
      expect(await pruneAudit({ days: 1 }, { ...later(), limits })).toMatchObject({ count: 0 });
      expect(await prune({ days: 1 })).toMatchObject({ count: 1 });
    });
  });
}
