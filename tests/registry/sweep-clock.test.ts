import { pause, systemTimers, type Timers } from "@skillhold/core/port";
import { fsck } from "@skillhold/registry/fsck";
import type { RegistryContext } from "@skillhold/registry/record";
import { publishFolder, purgeSkill, sweepStore } from "@skillhold/registry/release";
import { UNNAMED_BLOBS } from "@skillhold/registry/test/record/lock";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, engines, openScene, type Scene, writeSkill } from "./scene.ts";

describe.each(engines)("a sweep whose clock is two hours ahead of the publisher's, on %s", (engine) => {
  let scene: Scene;
  let behind: RegistryContext;
  beforeEach(async () => {
    scene = await openScene(engine);
    const clock = { now: () => new Date(Date.now() - 2 * 60 * 60 * 1000) };
    behind = { ...scene.context, clock, store: await openRegistryStore(scene.url, { clock }) };
  });
  afterEach(async () => {
    await behind.store.close();
    await scene.close();
  });

  const publish = (context: RegistryContext) =>
    publishFolder(writeSkill(scene.folder, "demo", { "a.txt": "a" }), { by: ada }, context);
  const problems = async () => (await fsck({}, scene.context)).findings;

  /** The publisher's context, with an action after each put. */
  function afterPut(work: (puts: number) => Promise<unknown>): RegistryContext {
    const { store } = behind;
    let puts = 0;
    const blobs = new Proxy(store.blobs, {
      get: (target, key) => {
        const value = Reflect.get(target, key);
        if (key !== "put") return typeof value === "function" ? value.bind(target) : value;
        return async (...args: Parameters<typeof store.blobs.put>) => {
          await target.put(...args);
          puts += 1;
          await work(puts);
        };
      },
    });
    return { ...behind, store: { ...store, blobs } };
  }

  test("removes bytes before they are referenced, and they are put again [S-41]", async () => {
    let removed = 0;
    const context = afterPut(async (puts) => {
      if (puts === 1) removed = (await sweepStore({}, scene.context)).blobs;
    });
    expect(await publish(context)).toMatchObject({ status: "published", revision: 1 });
    expect(removed).toBe(2);
    expect(await problems()).toEqual([]);
  });

  test("keeps bytes that were referenced after its scan [S-41]", async () => {
    const { store } = scene.context;
    let looks = 0;
    const listTrees: typeof store.listTrees = async (page) => {
      const trees = await store.listTrees(page);
      // The second scan looks for referenced bytes.
      looks += 1;
      if (looks === 2) await publish(behind);
      return trees;
    };
    const swept = await sweepStore({}, { ...scene.context, store: { ...store, listTrees } });
    expect(looks).toBe(2);
    expect(swept).toMatchObject({ trees: 0, blobs: 0 });
    expect(await problems()).toEqual([]);
  });

  test("waits for a publish that references bytes [S-41]", async () => {
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    // The publisher stops before its commit.
    const transaction: typeof behind.store.transaction = (work) =>
      behind.store.transaction(async (tx) => {
        const result = await work(tx);
        held.resolve();
        await go.promise;
        order.push("publish");
        return result;
      });
    const publishing = publish({ ...behind, store: { ...behind.store, transaction } });
    await held.promise;
    const blocked = Promise.withResolvers<string>();
    // SQLite pauses between two attempts.
    const timers: Timers = {
      ...systemTimers,
      after: (...args) => {
        blocked.resolve("waits");
        return systemTimers.after(...args);
      },
    };
    const sweeper = await openRegistryStore(scene.url, { timers });
    const sweeping = sweeper.transaction(async (tx) => {
      await tx.lock(UNNAMED_BLOBS);
      order.push("sweep");
    });
    const waits = engine === "sqlite" ? blocked.promise : waitsForLock(scene.url);
    const first = await Promise.race([waits, sweeping.then(() => "does not wait")]);
    go.resolve();
    expect(first).toBe("waits");
    await Promise.all([publishing, sweeping]);
    await sweeper.close();
    expect(order).toEqual(["publish", "sweep"]);
  });

  test("makes a publish fail if every put is removed, without a reference [S-41]", async () => {
    const context = afterPut(() => sweepStore({}, scene.context));
    await expect(publish(context)).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await scene.context.store.listSkills()).toEqual([]);
    expect(await problems()).toEqual([]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1e300])(
    "rejects a grace period of %d milliseconds [S-41]",
    async (graceMs) => {
      await publish(behind);
      for (const call of [
        () => sweepStore({ graceMs }, scene.context),
        () => fsck({ graceMs }, scene.context),
        () => purgeSkill("demo", { by: ada, graceMs }, scene.context),
      ])
        await expect(call()).rejects.toMatchObject({ code: "USAGE" });
    },
  );
});

/** Resolves when a session of the database waits for a lock. */
async function waitsForLock(url: string): Promise<string> {
  const client = postgres(url, { max: 1 });
  try {
    for (;;) {
      const rows = await client`select from pg_locks where not granted
        and database = (select oid from pg_database where datname = current_database())`;
      if (rows.length > 0) return "waits";
      await pause(20, systemTimers);
    }
  } finally {
    await client.end();
  }
}
