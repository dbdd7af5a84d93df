import { isDeepStrictEqual } from "node:util";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { makeEvent } from "./memory-log.fixture.ts";
import { RegistryAudit } from "./registry-audit.ts";

test("writes events that arrive during a write together and in order [S-62]", async () => {
  const store = fakeStore();
  const audit = new RegistryAudit(store);
  const first = audit.record(makeEvent(0));
  await store.begun();
  const others = [1, 2, 3, 4].map((index) => audit.record(makeEvent(index)));
  store.commit();
  await first;
  await store.begun();
  store.commit();
  await Promise.all(others);
  expect(store.batches).toEqual([[makeEvent(0)], [1, 2, 3, 4].map(makeEvent)]);
});

test("writes the events of one turn in one transaction [S-62]", async () => {
  const store = fakeStore();
  const audit = new RegistryAudit(store);
  const all = Promise.all([0, 1, 2].map((index) => audit.record(makeEvent(index))));
  await store.begun();
  store.commit();
  await all;
  expect(store.batches).toHaveLength(1);
});

test("writes events of one moment in order, at most a thousand at once, and ends when all are written [S-62]", async () => {
  const store = fakeStore();
  const audit = new RegistryAudit(store);
  const events = Array.from({ length: 2500 }, (_, index) => makeEvent(index));
  let isDone = false;
  const all = audit.recordAll(events).then(() => {
    isDone = true;
  });
  for (const _ of [1, 2, 3]) {
    await store.begun();
    expect(isDone).toBe(false);
    store.commit();
  }
  await all;
  await audit.recordAll([]);
  expect(store.batches.map(({ length }) => length)).toEqual([1000, 1000, 500]);
  expect(store.batches.flat()).toEqual(events);
});

test("waits for the callers of the last batch and of its commit [S-62]", async () => {
  const timers = new ManualTimers();
  const store = fakeStore();
  const audit = new RegistryAudit(store, timers);
  const first = audit.record(makeEvent(0));
  await store.begun();
  const second = audit.record(makeEvent(1));
  timers.advance(3);
  store.commit();
  await first;
  await timers.set(6);
  const third = audit.record(makeEvent(2));
  await store.begun();
  expect(timers.delays).toEqual([]);
  store.commit();
  await Promise.all([second, third]);
  expect(store.batches).toEqual([[makeEvent(0)], [makeEvent(1), makeEvent(2)]]);
});

test("waits at most twice as long as the last write, and not after a close [S-62]", async () => {
  const timers = new ManualTimers();
  const store = fakeStore();
  const audit = new RegistryAudit(store, timers);
  const write = async (writeMs: number) => {
    await store.begun();
    timers.advance(writeMs);
    store.commit();
  };
  const pair = [audit.record(makeEvent(0)), audit.record(makeEvent(1))];
  await write(2);
  await Promise.all(pair);
  const alone = audit.record(makeEvent(2));
  await timers.set(4);
  timers.advance(4);
  await write(5000);
  await alone;
  const next = [audit.record(makeEvent(3)), audit.record(makeEvent(4))];
  await write(5000);
  await Promise.all(next);
  const last = audit.record(makeEvent(5));
  await timers.set(10);
  const closing = audit.close();
  await write(0);
  await Promise.all([last, closing]);
  expect(store.batches.map(({ length }) => length)).toEqual([2, 1, 2, 1]);
});

test("writes every event once, in order and in bounded time, for any arrivals and failures [S-62]", async () => {
  const step = fc.oneof(
    fc.record({ records: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ advance: fc.integer({ min: 0, max: 20 }) }),
    fc.constantFrom({ end: "commit" as const }, { end: "fail" as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const timers = new ManualTimers();
      const store = fakeStore();
      const audit = new RegistryAudit(store, timers);
      const acknowledged: number[] = [];
      const rejected: number[] = [];
      const all: Promise<unknown>[] = [];
      for (const each of steps) {
        const count = "records" in each ? each.records : 0;
        for (let left = count; left > 0; left -= 1) {
          const index = all.length;
          all.push(
            audit.record(makeEvent(index)).then(
              () => {
                const isWritten = store.batches
                  .flat()
                  .some((event) => isDeepStrictEqual(event, makeEvent(index)));
                if (isWritten) acknowledged.push(index);
              },
              () => rejected.push(index),
            ),
          );
        }
        if ("advance" in each) timers.advance(each.advance);
        if ("end" in each && store.isUnderWay) {
          if (each.end === "commit") store.commit();
          else store.fail(new SkillError("STORE_FAILED", "There is no room."));
        }
        await turns();
      }
      const closing = audit.close();
      for (let left = all.length; left > 0 && acknowledged.length + rejected.length < all.length; left -= 1) {
        await store.begun();
        store.commit();
        await turns();
      }
      await Promise.all([closing, ...all]);
      expect([...acknowledged, ...rejected].sort((one, other) => one - other)).toEqual([...all.keys()]);
      expect(store.batches.flat()).toEqual(acknowledged.map(makeEvent));
    }),
    { numRuns: 100 },
  );
});

test("does not acknowledge an event before it is durable [S-62]", async () => {
  const store = fakeStore();
  const audit = new RegistryAudit(store);
  let isTold = false;
  const record = audit.record(makeEvent(0)).then(() => {
    isTold = true;
  });
  await store.begun();
  await turns();
  expect(isTold).toBe(false);
  store.commit();
  await record;
});

test("a failed transaction rejects all its events, and later events are written [S-62]", async () => {
  const store = fakeStore();
  const audit = new RegistryAudit(store);
  const all = Promise.allSettled([0, 1].map((index) => audit.record(makeEvent(index))));
  await store.begun();
  store.fail(new SkillError("STORE_FAILED", "There is no room."));
  expect((await all).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const next = audit.record(makeEvent(2));
  await store.begun();
  store.commit();
  await next;
  expect(store.batches).toEqual([[makeEvent(2)]]);
});

test("an event that cannot be stored fails alone [S-62]", async () => {
  const store = fakeStore({ reject: ({ type }) => type === "skill.denied" });
  const audit = new RegistryAudit(store);
  const all = Promise.allSettled([0, 1, 2, 3].map((index) => audit.record(makeEvent(index))));
  // First all together, then each alone.
  for (let left = 5; left > 0; left -= 1) {
    await store.begun();
    store.commit();
  }
  expect((await all).map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(store.batches.flat()).toEqual([0, 1, 3].map(makeEvent));
});

test("rejects events after close [S-62]", async () => {
  const audit = new RegistryAudit(fakeStore());
  await audit.close();
  await expect(audit.record(makeEvent(9))).rejects.toMatchObject({ code: "USAGE" });
});

/** A store whose transactions end on command. */
function fakeStore({ reject = () => false }: { reject?: (event: SkillEvent) => boolean } = {}) {
  const batches: (readonly SkillEvent[])[] = [];
  let pending: PromiseWithResolvers<void> | undefined;
  let beginning = Promise.withResolvers<void>();
  const end = (settle: (pending: PromiseWithResolvers<void>) => void) => {
    if (pending === undefined) throw new Error("No transaction is under way.");
    settle(pending);
    pending = undefined;
    beginning = Promise.withResolvers();
  };
  return {
    batches,
    get isUnderWay() {
      return pending !== undefined;
    },
    /** Resolves when a transaction waits to end. */
    begun: () => beginning.promise,
    commit: () => end((each) => each.resolve()),
    fail: (error: Error) => end((each) => each.reject(error)),
    transaction: async <T>(work: (tx: RegistryTransaction) => Promise<T>): Promise<T> => {
      let batch: readonly SkillEvent[] = [];
      const appendAll = async (events: readonly SkillEvent[]) => {
        if (events.some(reject)) throw new SkillError("USAGE", "It cannot be kept.");
        batch = events;
        return 0;
      };
      if (pending !== undefined) throw new Error("Two transactions are under way.");
      pending = Promise.withResolvers();
      const { promise } = pending;
      beginning.resolve();
      await promise;
      // The sink calls only this method.
      const result = await work({ appendAll } as unknown as RegistryTransaction);
      batches.push(batch);
      return result;
    },
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
