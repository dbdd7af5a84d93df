import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { StoredEvent } from "@skillhold/registry/record";
import { expect, test, vi } from "vitest";
import { LogFeed } from "./log-feed.ts";

const event = { type: "session.closed", at: "2026-01-01T00:00:00.000Z", session: "s" } as const;

/** A log that can be broken. */
class BreakableLog {
  isBroken = false;
  readonly #listeners = new Set<() => void>();
  #last = 0;

  append(): void {
    this.#last += 1;
    for (const listener of this.#listeners) listener();
  }

  async lastEvent(): Promise<number> {
    if (this.isBroken) throw new Error("broken");
    return this.#last;
  }

  async eventsAfter(seq: number, limit: number): Promise<readonly StoredEvent[]> {
    const last = await this.lastEvent();
    return Array.from({ length: Math.min(limit, last - seq) }, (_, at) => ({ seq: seq + at + 1, event }));
  }

  async onCommit(listener: () => void): Promise<() => Promise<void>> {
    this.#listeners.add(listener);
    return async () => {
      this.#listeners.delete(listener);
    };
  }
}

test("a failed feed reports the error and restarts at the end of the log [S-54]", async () => {
  const log = new BreakableLog();
  log.append();
  const told: number[] = [];
  const onFailure = vi.fn();
  const onEvent = async ({ seq }: StoredEvent) => void told.push(seq);
  const timers = new ManualTimers();
  const feed = new LogFeed({ store: log, timers, onEvent, onFailure });
  feed.start();
  await feed.started;
  expect(feed.last).toBe(1);
  log.append();
  await vi.waitFor(() => expect(told).toEqual([2]), 120_000);
  log.isBroken = true;
  log.append();
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledTimes(1), 120_000);
  log.isBroken = false;
  await timers.set(1000);
  timers.advance(1000);
  await feed.started;
  expect(feed.last).toBe(3);
  log.append();
  await vi.waitFor(() => expect(told).toEqual([2, 4]), 120_000);
  await feed.stop();
});

test("delivers events one at a time with the current position [S-54]", async () => {
  const log = new BreakableLog();
  const told: string[] = [];
  const feed: LogFeed = new LogFeed({
    store: log,
    timers: new ManualTimers(),
    onEvent: async ({ seq }) => {
      told.push(`${seq} of ${feed.last}`);
      await new Promise((resolve) => setImmediate(resolve));
      told.push(`${seq} done`);
    },
    onFailure: (error) => {
      throw error;
    },
  });
  feed.start();
  await feed.started;
  log.append();
  log.append();
  await vi.waitFor(() => expect(told).toEqual(["1 of 1", "1 done", "2 of 2", "2 done"]), 120_000);
  await feed.stop();
  log.append();
  expect(feed.last).toBe(2);
});
