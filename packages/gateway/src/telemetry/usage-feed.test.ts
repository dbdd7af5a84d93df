import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { StoredEvent } from "@skillhold/registry/record";
import { expect, test, vi } from "vitest";
import { UsageFeed } from "./usage-feed.ts";

const denied = (seq: number): StoredEvent => ({
  seq,
  event: {
    type: "skill.denied",
    at: "2026-11-16T00:00:00.000Z",
    session: "s",
    skill: "pdf",
    act: "activate",
    reason: "POLICY_DENIED",
    message: "No.",
  },
});

/** A log in memory that can be made to fail once. */
function brittleLog(events: StoredEvent[]) {
  const listeners = new Set<() => void>();
  let isLost = false;
  return {
    onCommit: async (listener: () => void) => {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
    lastEvent: async () => events.length,
    eventsAfter: async (after: number) => {
      if (isLost) {
        isLost = false;
        throw new Error("The connection was lost.");
      }
      return events.slice(after);
    },
    append: (event: StoredEvent, options: { readonly isLost: boolean }) => {
      events.push(event);
      isLost = options.isLost;
      for (const listener of listeners) listener();
    },
  };
}

test("statistics continue at the same event after a failed read of the log [S-63]", async () => {
  const log = brittleLog([denied(1), denied(2)]);
  const errors: unknown[] = [];
  const seen: number[] = [];
  const timers = new ManualTimers();
  const feed = new UsageFeed({
    timers,
    onError: (error) => errors.push(error),
    onEvent: ({ seq }) => seen.push(seq),
  });
  feed.start(log);
  await vi.waitFor(() => expect(feed.usage.upTo).toBe(2), 120_000);
  log.append(denied(3), { isLost: true });
  await timers.set(1000);
  timers.advance(1000);
  await vi.waitFor(() => expect(feed.usage.upTo).toBe(3), 120_000);
  await feed.close();
  expect([errors.length, seen]).toEqual([1, [1, 2, 3]]);
});
