import { later, request } from "@skillhold/core/test/approval/approval.fixture";
import type { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import type { EventQuery, StoredEvent } from "../record/registry-store.ts";
import { askedEvent } from "./question.ts";
import { QuestionIndex } from "./question-index.ts";

const hour = 3_600_000;
const start = later(0);

function asked(id: string, ms: number): SkillEvent {
  const [askedAt, expiresAt] = [later(ms), later(ms + 1000)].map((date) => date.toISOString());
  return askedEvent({ id, askedAt: askedAt ?? "", expiresAt: expiresAt ?? "", request: request() });
}

function answered(
  question: string,
  answer: "approve" | "deny" | "withdrawn",
  role: "admin" | "system" = "admin",
): SkillEvent {
  const at = later(0).toISOString();
  return { type: "approval.answered", at, question, answer, by: { user: "ann", role } };
}

/** An in-memory log with numbers from 1, except for the lost ones. */
function logOf(events: readonly SkillEvent[], lost: readonly number[] = []) {
  const stored = events
    .map((event, index): StoredEvent => ({ seq: index + 1, event }))
    .filter(({ seq }) => !lost.includes(seq));
  return {
    stored,
    listEvents: async ({ after = 0, before = Infinity, types, limit }: EventQuery) =>
      stored
        .filter(({ seq, event }) => seq > after && seq < before && types?.includes(event.type) !== false)
        .slice(0, limit),
    lastEvent: async () => stored.at(-1)?.seq ?? 0,
    eventsAfter: async (seq: number, limit: number) =>
      stored.filter((each) => each.seq > seq).slice(0, limit),
  };
}

const ids = (index: QuestionIndex, ms: number) => index.listOpen(later(ms)).map(({ id }) => id);

test("lists open questions, oldest first [S-28]", async () => {
  const log = logOf([asked("a", 0), asked("b", 1), asked("c", 2), asked("d", 3), answered("b", "deny")]);
  const index = await QuestionIndex.open(log, start);
  expect([ids(index, 10), index.seq]).toEqual([["a", "c", "d"], 5]);
  expect(ids(index, 1002)).toEqual(["d"]);
});

test("only the first answer to a known question is accepted [S-28]", async () => {
  const answers = [answered("a", "withdrawn", "system"), answered("a", "approve"), answered("z", "approve")];
  const index = await QuestionIndex.open(logOf([asked("a", 0), ...answers]), start);
  expect(index.find("a")).toMatchObject({ end: "withdrawn" });
  expect(index.find("z")).toBeUndefined();
});

test("ignores events that arrive twice or out of order [S-54]", async () => {
  const log = logOf([asked("a", 0), answered("a", "deny"), asked("b", 1)]);
  const index = await QuestionIndex.open(logOf([asked("a", 0)]), start);
  const [first, second, third] = log.stored;
  for (const stored of [third, first]) if (stored !== undefined) index.apply(stored);
  expect([ids(index, 10), index.seq]).toEqual([["a"], 1]);
  for (const stored of [second, second, third]) if (stored !== undefined) index.apply(stored);
  expect([ids(index, 10), index.seq]).toEqual([["b"], 3]);
});

test("throws for a log with a gap and stops reading [S-62]", async () => {
  const events = Array.from({ length: 2500 }, (_, index) => asked(`q${index}`, 0));
  const open = () => QuestionIndex.open(logOf(events.slice(0, 3)), start);
  await expect((await open()).catchUp(logOf(events, [5]))).rejects.toMatchObject({
    code: "INTEGRITY_FAILED",
  });
  const index = await open();
  await index.catchUp(logOf(events));
  expect(index.seq).toBe(2500);
});

test("keeps an expired question for an hour [S-28]", async () => {
  const index = await QuestionIndex.open(logOf([asked("a", 0), answered("a", "deny")]), start);
  index.apply({ seq: 3, event: asked("b", hour + 999) });
  expect(index.find("a")).toMatchObject({ end: "deny" });
  index.apply({ seq: 4, event: asked("c", hour + 1000) });
  expect(index.find("a")).toBeUndefined();
  expect(index.find("b")).toBeDefined();
});

test("a new index finds a question however many events follow it [S-28]", async () => {
  const noise = Array.from({ length: 12_000 }, (_, index) => answered(`none-${index}`, "deny"));
  const index = await QuestionIndex.open(logOf([asked("old", -hour), asked("a", 0), ...noise]), start);
  expect([ids(index, 10), index.seq, index.find("old")]).toEqual([["a"], 12_002, undefined]);
});
