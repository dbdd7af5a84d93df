import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test, vi } from "vitest";
import { CommitWatch } from "./commit-watch.ts";

const EVERY_MS = 250;

/** A watch over a number that the test changes, with or without a notice. */
function open() {
  const timers = new ManualTimers();
  const notices = new Set<() => void>();
  let version = 1;
  let subscriptions = 0;
  const watch = new CommitWatch({
    timers,
    everyMs: EVERY_MS,
    number: async () => version,
    db: {
      listen: async (notice) => {
        subscriptions += 1;
        notices.add(notice);
        return async () => void notices.delete(notice);
      },
    },
  });
  const commit = () => {
    version += 1;
  };
  const notify = () => {
    for (const notice of notices) notice();
  };
  return { watch, timers, commit, notify, subscriptions: () => subscriptions, listening: () => notices.size };
}

test("polling finds a commit without a notice, and renews the subscription [S-55]", async () => {
  const { watch, timers, commit, subscriptions } = open();
  const listener = vi.fn();
  await watch.add(listener);
  timers.advance(EVERY_MS);
  await expect.poll(() => subscriptions()).toBe(1);
  commit();
  timers.advance(EVERY_MS - 1);
  expect(listener).not.toHaveBeenCalled();
  timers.advance(1);
  await expect.poll(() => listener.mock.calls.length).toBe(1);
  await expect.poll(() => subscriptions()).toBe(2);
  await watch.close();
});

test("a notice calls the listeners without a poll [S-55]", async () => {
  const { watch, commit, notify, subscriptions } = open();
  const listener = vi.fn();
  await watch.add(listener);
  commit();
  notify();
  await expect.poll(() => listener.mock.calls.length).toBe(1);
  expect(subscriptions()).toBe(1);
  await watch.close();
});

test("listeners added at the same time share a subscription [S-55]", async () => {
  const { watch, commit, notify, subscriptions, listening } = open();
  const listeners = [vi.fn(), vi.fn()];
  const stops = await Promise.all(listeners.map((listener) => watch.add(listener)));
  expect(subscriptions()).toBe(1);
  commit();
  notify();
  await expect.poll(() => listeners.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  await Promise.all(stops.map((stop) => stop()));
  expect(listening()).toBe(0);
});

test("polling and the subscription end with the last listener [S-55]", async () => {
  const { watch, timers, listening } = open();
  const [removeFirst, removeSecond] = [await watch.add(() => {}), await watch.add(() => {})];
  await removeFirst();
  expect([timers.delays, listening()]).toEqual([[EVERY_MS], 1]);
  await removeSecond();
  expect([timers.delays, listening()]).toEqual([[], 0]);
});
