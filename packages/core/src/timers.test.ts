import { expect, test } from "vitest";
import { ManualTimers } from "./manual-timers.fixture.ts";
import { pause, systemTimers } from "./timers.ts";

test("the machine's timers call back once or repeatedly until they are canceled [S-68]", async () => {
  const started = systemTimers.now();
  let calls = 0;
  const counted = Promise.withResolvers<void>();
  const cancel = systemTimers.every(1, () => {
    calls += 1;
    if (calls === 3) counted.resolve();
  });
  const never = systemTimers.after(0, () => counted.reject(new Error("canceled timers do not fire")));
  never();
  // A background timer alone would not keep the process alive.
  await pause(1, systemTimers);
  await counted.promise;
  cancel();
  expect(systemTimers.now()).toBeGreaterThan(started);
});

test("a pause ends after its time or when it is aborted, and leaves no timer [S-68]", async () => {
  const timers = new ManualTimers();
  const stop = new AbortController();
  const order: string[] = [];
  const slow = pause(1000, timers, { signal: stop.signal }).then(() => order.push("slow"));
  const fast = pause(10, timers).then(() => order.push("fast"));
  expect(timers.delays).toEqual([10, 1000]);
  timers.advance(10);
  await fast;
  stop.abort();
  await slow;
  await pause(1000, timers, { signal: stop.signal });
  expect({ order, delays: timers.delays }).toEqual({ order: ["fast", "slow"], delays: [] });
});

test("manual timers fire in order at their own times [S-68]", () => {
  const timers = new ManualTimers();
  const seen: unknown[] = [];
  const cancel = timers.every(10, () => seen.push(["every", timers.now()]));
  timers.after(25, () => seen.push(["once", timers.now()]));
  timers.advance(30);
  cancel();
  timers.advance(30);
  expect(seen).toEqual([
    ["every", 10],
    ["every", 20],
    ["once", 25],
    ["every", 30],
  ]);
  expect(timers.now()).toBe(60);
});
