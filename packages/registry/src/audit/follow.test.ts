import type { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import type { StoredEvent } from "../record/registry-store.ts";
import { followEvents } from "./follow.ts";

test("yields earlier and new events once and in order [S-55]", async () => {
  const log = fakeLog(2500);
  const seen: number[] = [];
  const ending = new AbortController();
  for await (const { seq } of followEvents(3, ending, log)) {
    seen.push(seq);
    if (seq === 1200) log.commit(400);
    if (seq === 2900) ending.abort();
  }
  expect(seen).toEqual(Array.from({ length: 2897 }, (_, index) => index + 4));
  expect(log.listeners()).toBe(0);
});

test("does not miss a commit between reading and waiting [S-55]", async () => {
  const log = fakeLog(0);
  log.afterRead = () => {
    log.afterRead = undefined;
    log.commit(1);
  };
  const ending = new AbortController();
  const first = await followEvents(0, ending, log).next();
  expect(first.value?.seq).toBe(1);
  ending.abort();
});

test("ends on abort while waiting and removes its listener [S-55]", async () => {
  const log = fakeLog(1);
  const ending = new AbortController();
  const events = followEvents(1, ending, log);
  const next = events.next();
  setImmediate(() => ending.abort());
  expect(await next).toEqual({ done: true, value: undefined });
  expect(log.listeners()).toBe(0);
});

test("throws for a log with a gap or one that became shorter [S-62]", async () => {
  const shorter = followEvents(5, new AbortController(), fakeLog(4)).next();
  await expect(shorter).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
  const log = fakeLog(4);
  log.events.splice(1, 1);
  const events = followEvents(0, new AbortController(), log);
  expect((await events.next()).value?.seq).toBe(1);
  await expect(events.next()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
});

/** An in-memory log that reports commits in the next turn, as the engines do. */
function fakeLog(size: number) {
  const listeners = new Set<() => void>();
  const events: StoredEvent[] = [];
  const log = {
    events,
    afterRead: undefined as (() => void) | undefined,
    commit: (count: number) => {
      for (let index = 0; index < count; index += 1) events.push({ seq: events.length + 1, event });
      for (const listener of listeners) queueMicrotask(listener);
    },
    listeners: () => listeners.size,
    lastEvent: async () => events.at(-1)?.seq ?? 0,
    eventsAfter: async (seq: number, limit: number) => {
      const page = events.filter((each) => each.seq > seq).slice(0, limit);
      log.afterRead?.();
      return page;
    },
    onCommit: async (listener: () => void) => {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
  };
  log.commit(size);
  return log;
}

const event: SkillEvent = { type: "session.closed", at: "2026-01-01T00:00:00.000Z", session: "s" };
