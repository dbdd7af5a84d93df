import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { type GateBounds, HeavyGate } from "./heavy-gate.ts";

const bounds = { ofKey: 2, ofAll: 3, waiting: 2, waitMs: 60_000 };

function scene(given: Partial<GateBounds> = {}) {
  const timers = new ManualTimers();
  const gate = new HeavyGate({ ...bounds, ...given }, timers);
  const begun: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const enter = (key: string, name: string, signal?: AbortSignal) => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    const work = async () => {
      begun.push(name);
      await end.promise;
      return name;
    };
    return { end, done: gate.pass(key, work, signal) };
  };
  return { begun, enter, timers };
}

test("limits concurrent work per key and overall, and starts waiting work when a slot is free [S-53]", async () => {
  const { begun, enter } = scene();
  const [one, , third] = [enter("a", "a1"), enter("a", "a2"), enter("a", "a3")];
  const other = enter("b", "b1");
  expect(begun).toEqual(["a1", "a2", "b1"]);
  const last = enter("c", "c1");
  other.end.resolve();
  await other.done;
  last.end.resolve();
  expect(await last.done).toBe("c1");
  expect(begun).toEqual(["a1", "a2", "b1", "c1"]);
  one.end.resolve();
  third.end.resolve();
  expect(await third.done).toBe("a3");
});

test("rejects work when the queue is full, and after the maximum wait [S-53]", async () => {
  const { enter, timers } = scene({ ofKey: 1 });
  enter("a", "a1");
  const refused = { code: "RATE_LIMITED", details: { retryAfter: 10 } };
  const waiting = [enter("a", "a2"), enter("a", "a3")].map(({ done }) =>
    expect(done).rejects.toMatchObject(refused),
  );
  await expect(enter("a", "a4").done).rejects.toMatchObject(refused);
  timers.advance(bounds.waitMs);
  await Promise.all(waiting);
  expect(timers.delays).toEqual([]);
});

test("a busy key blocks other keys neither from slots nor from the queue [S-53]", async () => {
  const { begun, enter } = scene({ ofAll: 4, waiting: 4 });
  const busy = ["a1", "a2", "b1", "b2"].map((name) => enter(name.slice(0, 1), name));
  const [first] = busy;
  const queue = ["a3", "a4", "b3", "b4"].map((name) => enter(name.slice(0, 1), name));
  const given = expect(queue[1]?.done).rejects.toMatchObject({ code: "RATE_LIMITED" });
  const little = enter("c", "c1");
  await given;
  await expect(enter("b", "b5").done).rejects.toMatchObject({ code: "RATE_LIMITED" });
  first?.end.resolve();
  await first?.done;
  little.end.resolve();
  expect(await little.done).toBe("c1");
  expect(begun.slice(0, 5)).toEqual(["a1", "a2", "b1", "b2", "c1"]);
  for (const { end } of [...busy, ...queue]) end.resolve();
  await Promise.allSettled(queue.map(({ done }) => done));
});

test("skips work that is aborted while it waits, and frees the slot of failed work [S-53]", async () => {
  const { begun, enter } = scene({ ofKey: 1 });
  const first = enter("a", "a1");
  const calling = new AbortController();
  const second = enter("a", "a2", calling.signal);
  calling.abort();
  await expect(second.done).rejects.toMatchObject({ code: "INTERRUPTED" });
  const third = enter("a", "a3");
  first.end.reject(new Error("lost"));
  await expect(first.done).rejects.toThrow("lost");
  third.end.resolve();
  expect(await third.done).toBe("a3");
  expect(begun).toEqual(["a1", "a3"]);
});
