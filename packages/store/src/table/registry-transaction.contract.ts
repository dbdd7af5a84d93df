import { setImmediate } from "node:timers/promises";
import type { RegistryStore, RegistryTransaction, StoredEvent } from "@skillhold/registry/record";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sql } from "../engine/sql.ts";
import { withDb } from "./raw-registry.fixture.ts";
import { deleted, digest, revision, skill } from "./registry.fixture.ts";
import { inProcess } from "./registry-process.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const failed = { code: "STORE_FAILED" };

/** The contract of every registry store for transactions and concurrency. */
export function registryTransactionContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`transactions on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    const others: RegistryStore[] = [];
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
    });
    afterEach(async () => {
      await store.close();
      for (const other of others.splice(0)) await other.close();
    });

    async function openOther(): Promise<RegistryStore> {
      const other = await openRegistryStore(url);
      others.push(other);
      return other;
    }

    describe("atomicity", () => {
      test("rethrows an error and rolls back [S-41]", async () => {
        const reason = new Error("no");
        const work = store.transaction(async (tx) => {
          await tx.putSkill(skill("pdf"));
          await tx.insertRevision(revision("pdf"));
          await tx.append(deleted("pdf"));
          throw reason;
        });
        await expect(work).rejects.toBe(reason);
        expect([await store.listSkills(), await store.lastEvent()]).toEqual([[], 0]);
      });

      test("a failed statement fails the transaction even if the work catches it [S-41]", async () => {
        const work = store.transaction(async (tx) => {
          await tx.putSkill(skill("pdf"));
          await tx.putSkill(skill("pdf", { uid: "other" })).catch(() => {});
          await tx.putSkill(skill("docx")).catch(() => {});
          return "done";
        });
        await expect(work).rejects.toMatchObject({ code: "CONFLICT" });
        expect(await store.listSkills()).toEqual([]);
      });

      test("a statement that no code awaits is committed with the others, or fails all of them [S-41]", async () => {
        const insert = (name: string) =>
          sql`insert into account (name, created_at) values (${name}, ${"2026-01-01T00:00:00.000Z"})`;
        const names = async () => (await store.listUsers()).map(({ name }) => name);
        await withDb(url, async (db) => {
          await db.transaction(async (tx) => tx.send(insert("ada")));
          expect(await names()).toEqual(["ada"]);
          const work = db.transaction(async (tx) => {
            await tx.run(insert("ben"));
            tx.send(insert("ada"));
            tx.send(insert("cem"));
          });
          await expect(work).rejects.toMatchObject({ code: "CONFLICT" });
          const later = db.transaction(async (tx) => {
            tx.send(insert("ada"));
            await tx.run(insert("dan"));
          });
          await expect(later).rejects.toMatchObject({ code: "CONFLICT" });
          const unsent = db.transaction(async (tx) => {
            await tx.run(insert("eli"));
            // Drivers reject a value without a type before they send it.
            tx.send(insert(undefined as unknown as string));
          });
          await expect(unsent).rejects.toThrow();
        });
        expect(await names()).toEqual(["ada"]);
      });

      test("statements run in the order of their calls, also those with the begin [S-41]", async () => {
        const insert = sql`insert into account (name, created_at) values ('ada', '2026-01-01T00:00:00.000Z')`;
        const select = sql`select name from account`;
        const row = { parse: (found: unknown) => found };
        await withDb(url, async (db) => {
          const found = await db.transaction(
            async (tx) =>
              await Promise.all([tx.all(select, row), tx.lock("a"), tx.run(insert), tx.all(select, row)]),
          );
          expect(found).toEqual([[], undefined, 1, [{ name: "ada" }]]);
        });
      });

      test("a transaction reads its own writes, and others see them after commit [S-41]", async () => {
        const other = await openOther();
        const seen = await store.transaction(async (tx) => {
          await tx.putSkill(skill("pdf"));
          await tx.insertRevision(revision("pdf"));
          const outside = [await store.findSkill("pdf"), await other.findSkill("pdf")];
          return [await tx.findSkill("pdf"), (await tx.listCurrent()).length, ...outside];
        });
        expect(seen).toEqual([skill("pdf"), 1, undefined, undefined]);
        expect([await store.findSkill("pdf"), await other.findSkill("pdf")]).toEqual([
          skill("pdf"),
          skill("pdf"),
        ]);
      });

      test("rejects calls after the end of a transaction [S-41]", async () => {
        let kept: RegistryTransaction | undefined;
        await store.transaction(async (tx) => {
          kept = tx;
        });
        await expect(kept?.putSkill(skill("pdf"))).rejects.toThrow("after its end");
        await expect(kept?.lock("a")).rejects.toThrow("after its end");
        await expect(kept?.findSkill("pdf")).rejects.toThrow("after its end");
        expect(await store.listSkills()).toEqual([]);
      });

      test("rejects a nested transaction instead of deadlocking [S-41]", async () => {
        const nested = store.transaction(() => store.transaction(async () => {}));
        await expect(nested).rejects.toThrow("inside another");
        await store.transaction((tx) => tx.putSkill(skill("pdf")));
        expect(await store.findSkill("pdf")).toBeDefined();
      });
    });

    describe("concurrency", () => {
      test("holders of a lock run one after the other, within and across stores [S-41]", async () => {
        const stores = [store, await openOther(), await openOther()];
        let inside = 0;
        const most: number[] = [];
        const enter = (each: RegistryStore) =>
          each.transaction(async (tx) => {
            await tx.lock("skill:pdf");
            inside += 1;
            most.push(inside);
            const found = await tx.findSkill("pdf");
            const number = (found?.lastRevision ?? 0) + 1;
            await tx.insertRevision(revision("pdf", number));
            await tx.putSkill(skill("pdf", { revision: number, lastRevision: number }));
            inside -= 1;
            return number;
          });
        const numbers = await Promise.all(
          Array.from({ length: 30 }, (_, i) => enter(stores[i % 3] ?? store)),
        );
        expect(Math.max(...most)).toBe(1);
        expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
      });

      test("four processes assign unique numbers, and a follower misses no event [S-41]", async () => {
        const code = `
          for (let count = 0; count < 15; count += 1) await Promise.all(["a", args[0]].map((id) =>
            store.transaction(async (tx) => {
              await tx.lock("skill:" + id);
              const number = ((await tx.findSkill(id))?.lastRevision ?? 0) + 1;
              await tx.insertRevision(fixture.revision(id, number));
              await tx.putSkill(fixture.skill(id, { revision: number, lastRevision: number }));
              await tx.append(fixture.deleted(id, number));
            })));`;
        const writers = ["b", "c", "d", "e"].map((id) => inProcess(url, code, id));
        let isOver = false;
        const over = Promise.all(writers).finally(() => {
          isOver = true;
        });
        const followed: StoredEvent[] = [];
        for (let isLast = false; !isLast; await setImmediate()) {
          isLast = isOver;
          followed.push(...(await store.eventsAfter(followed.at(-1)?.seq ?? 0, 1000)));
        }
        await over;
        expect(followed.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
        expect(await store.listBrokenEvents()).toEqual([]);
        const given = followed.flatMap(({ event }) =>
          event.type === "skill.deleted" && event.skill === "a" ? event.revision : [],
        );
        expect(given).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
        expect((await store.listRevisions("uid-e")).length).toBe(15);
      });

      test("concurrent processes that open a new registry all succeed [S-64]", async () => {
        const fresh = await freshUrl();
        const opened = await Promise.all(Array.from({ length: 6 }, () => openRegistryStore(fresh)));
        others.push(...opened);
        const put = (each: RegistryStore, index: number) =>
          each.transaction((tx) => tx.putSkill(skill(`s-${index}`)));
        await Promise.all(opened.map(put));
        expect(await opened[0]?.listSkills()).toHaveLength(6);
      });
    });

    describe("commit notifications", () => {
      test("every listener is called after a commit of this store, another store or another process [S-45]", async () => {
        const other = await openOther();
        let calls = 0;
        let called = Promise.withResolvers<void>();
        const listener = () => {
          calls += 1;
          called.resolve();
        };
        const stop = [await store.onCommit(listener), await store.onCommit(listener)];
        const write = (by: RegistryStore, id: string) => by.transaction((tx) => tx.append(deleted(id)));
        for (const commit of [
          () => write(store, "a"),
          () => write(other, "b"),
          () => inProcess(url, `await store.transaction((tx) => tx.append(fixture.deleted("c")));`),
        ]) {
          called = Promise.withResolvers();
          await commit();
          await called.promise;
        }
        expect(await store.lastEvent()).toBe(3);
        for (const each of stop) await each();
        calls = 0;
        for (const [by, id] of [
          [store, "d"],
          [other, "e"],
        ] as const) {
          const witness = Promise.withResolvers<void>();
          const leave = await store.onCommit(witness.resolve);
          await write(by, id);
          await witness.promise;
          await leave();
        }
        expect(calls).toBe(0);
      });

      test("listeners are not called after a rollback or a read [S-45]", async () => {
        let calls = 0;
        let called = Promise.withResolvers<void>();
        const stop = await store.onCommit(() => {
          calls += 1;
          called.resolve();
        });
        const undone = store.transaction(async (tx) => {
          await tx.append(deleted("a"));
          throw new Error("no");
        });
        await expect(undone).rejects.toThrow("no");
        await store.transaction((tx) => tx.listSkills());
        // Calls arrive in commit order.
        called = Promise.withResolvers();
        await store.transaction((tx) => tx.append(deleted("b")));
        await called.promise;
        expect(calls).toBe(1);
        await stop();
      });

      test("the version changes with every commit and only then [S-45]", async () => {
        const other = await openOther();
        const version = () => store.version();
        const first = await version();
        expect(await version()).toBe(first);
        if (first === undefined) {
          expect(store.engine).toBe("postgres");
          return;
        }
        const seen = new Set([first]);
        for (const each of [store, other, store]) {
          await each.transaction((tx) => tx.append(deleted("a")));
          const now = await version();
          expect(now).toBeTypeOf("number");
          seen.add(now ?? first);
          expect(await version()).toBe(now);
        }
        expect(seen.size).toBe(4);
      });
    });

    describe("closing", () => {
      test("waits for running work, can be repeated, and rejects later calls [S-64]", async () => {
        const stop = await store.onCommit(() => {});
        const work = store.transaction((tx) => tx.putSkill(skill("pdf")));
        await Promise.all([store.close(), work]);
        await store.close();
        await stop();
        const calls = [
          () => store.findSkill("pdf"),
          () => store.listCurrent(),
          () => store.version(),
          () => store.listBrokenEvents(),
          () => store.onCommit(() => {}),
          () => store.transaction(async () => {}),
          () => store.blobs.get(digest("a")),
          () => store.blobs.put([{ digest: digest("a"), bytes: Buffer.from("a") }]),
        ];
        for (const call of calls) await expect(call()).rejects.toMatchObject(failed);
        expect(await (await openOther()).findSkill("pdf")).toEqual(skill("pdf"));
      });
    });
  });
}
