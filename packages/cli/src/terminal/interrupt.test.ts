import { EventEmitter } from "node:events";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { untilInterrupted } from "./interrupt.ts";

/** Work that ends only when the test says so. */
function scene() {
  const [signals, timers] = [new EventEmitter(), new ManualTimers()];
  const interrupt = new AbortController();
  const work = Promise.withResolvers<string>();
  const done = untilInterrupted(interrupt, signals, () => work.promise, { timers });
  done.catch(() => {});
  let isOver = false;
  const over = async () => {
    await new Promise(setImmediate);
    return isOver;
  };
  void Promise.allSettled([done]).then(() => {
    isOver = true;
  });
  return { signals, timers, interrupt, work, done, over };
}

test("the first signal aborts the work, and its echo changes nothing [S-60]", async () => {
  const { signals, timers, interrupt, work, done, over } = scene();
  signals.emit("SIGINT");
  expect(interrupt.signal.aborted).toBe(true);
  timers.advance(300);
  signals.emit("SIGTERM");
  expect(await over()).toBe(false);
  work.resolve("cleaned up");
  await expect(done).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect([timers.delays, signals.eventNames()]).toEqual([[], []]);
});

test("a later signal, or the end of the grace period, does not wait for the work [S-60]", async () => {
  const second = scene();
  second.signals.emit("SIGINT");
  second.timers.advance(301);
  second.signals.emit("SIGINT");
  await expect(second.done).rejects.toMatchObject({ code: "INTERRUPTED" });
  const late = scene();
  late.signals.emit("SIGHUP");
  late.timers.advance(4999);
  expect(await late.over()).toBe(false);
  late.timers.advance(1);
  await expect(late.done).rejects.toMatchObject({ code: "INTERRUPTED" });
});
