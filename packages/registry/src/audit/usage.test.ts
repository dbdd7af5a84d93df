import type { SkillEvent } from "@skillhold/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DurationSample, recentUses, Usage, usesOf } from "./usage.ts";

const hash = (letter: string) => `sha256:${letter.repeat(64)}`;
const at = "2026-11-16T10:00:00.000Z";

function usageOf(events: readonly object[]): Usage {
  const usage = new Usage();
  // Events with only the counted fields.
  for (const [index, event] of events.entries()) usage.add({ seq: index + 1, event: event as SkillEvent });
  return usage;
}

const run = {
  type: "skill.script_executed",
  at,
  skill: "pdf",
  hash: hash("a"),
  session: "s1",
  outcome: "exited",
};

test("counts activations, reads, runs and denials from the log by skill and revision [S-63]", () => {
  const usage = usageOf([
    { type: "skill.published", at, skill: "pdf", revision: 1, hash: hash("a") },
    { type: "skill.activated", at, skill: "pdf", revision: 1, hash: hash("a"), session: "s1" },
    { type: "skill.resource_read", at, skill: "pdf", hash: hash("a"), session: "s1" },
    { ...run, exitCode: 0, durationMs: 100 },
    { ...run, exitCode: 1, durationMs: 900 },
    { type: "skill.published", at, skill: "pdf", revision: 2, hash: hash("b") },
    { type: "skill.served", at, skill: "pdf", hash: hash("b") },
    { type: "skill.denied", at: "2026-11-17T00:00:00.000Z", skill: "pdf", session: "s2" },
  ]);
  expect(usage.upTo).toBe(8);
  expect(usage.total("pdf")).toMatchObject({
    activations: 1,
    reads: 2,
    runs: 2,
    runFailures: 1,
    denials: 1,
    sessions: 2,
    durationMs: { max: 900 },
    lastUsedAt: "2026-11-17T00:00:00.000Z",
  });
  expect(usage.revisions("pdf")).toMatchObject([
    { revision: 1, activations: 1, reads: 1, runs: 2 },
    { revision: 2, activations: 0, reads: 1, runs: 0 },
  ]);
  expect(usage.days("pdf")).toEqual([
    { day: "2026-11-16", activations: 1, reads: 2, runs: 2, failures: 1 },
    { day: "2026-11-17", activations: 0, reads: 0, runs: 0, failures: 1 },
  ]);
});

test("counts a failed or stopped tool call as a failure [S-63]", () => {
  const call = { type: "skill.tool_called", at, skill: "pdf", hash: hash("a"), session: "s1", durationMs: 1 };
  const usage = usageOf([
    { ...call, outcome: "exited", isError: false },
    { ...call, outcome: "exited", isError: true },
    { ...call, outcome: "timed_out", isError: false },
  ]);
  expect(usage.total("pdf")).toMatchObject({ toolCalls: 3, toolFailures: 2 });
});

test("does not list a skill that was published but never used [S-63]", () => {
  const usage = usageOf([{ type: "skill.published", at, skill: "pdf", revision: 1, hash: hash("a") }]);
  expect(usage.list()).toEqual([]);
  expect(usage.total("other")).toMatchObject({ activations: 0, lastUsedAt: undefined });
  expect(usage.list("revision")).toEqual([]);
});

test("a quantile is at most twice the exact value and at most the maximum [S-63]", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1 }), (durations) => {
      const sample = new DurationSample();
      for (const ms of durations) sample.add(ms);
      const sorted = durations.toSorted((a, b) => a - b);
      const exact = sorted[Math.ceil(sorted.length * 0.5) - 1] ?? 0;
      const { p50 = 0, max } = sample.summary() ?? {};
      expect(max).toBe(sorted.at(-1));
      expect(p50).toBeGreaterThanOrEqual(exact);
      expect(p50).toBeLessThanOrEqual(exact * 2);
    }),
  );
});

test("denied requests for unknown names leave no entry [S-63]", () => {
  const usage = usageOf([{ type: "skill.denied", at, skill: "../etc", session: "s1" }]);
  expect(usage.list()).toEqual([]);
  expect(usage.total("../etc").denials).toBe(0);
});

test("lists the uses that rank a catalogue, from the whole log or its latest part [S-22] [S-63]", async () => {
  const activated = { type: "skill.activated", hash: hash("a"), session: "s1" };
  const events = [
    { ...activated, skill: "docx", at },
    { ...activated, skill: "pdf", at },
    { ...activated, skill: "pdf", at: "2026-11-17T10:00:00.000Z" },
  ].map((event, index) => ({ seq: index + 1, event: event as SkillEvent }));
  const expected = new Map([
    ["docx", { count: 1, lastUsedAt: at }],
    ["pdf", { count: 2, lastUsedAt: "2026-11-17T10:00:00.000Z" }],
  ]);
  expect(usesOf(usageOf(events.map(({ event }) => event)))).toEqual(expected);
  const asked: unknown[] = [];
  const store = {
    lastEvent: async () => 90_000,
    listEvents: async (query: unknown) => {
      asked.push(query);
      return events.toReversed();
    },
  };
  expect(await recentUses(store)).toEqual(expected);
  expect(asked).toEqual([{ after: 70_000, order: "newest", limit: 1000, types: ["skill.activated"] }]);
});
