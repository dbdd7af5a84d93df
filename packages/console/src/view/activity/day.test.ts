import { expect, test } from "vitest";
import { byDay } from "./day.ts";

const now = new Date(2026, 10, 16, 9);
const on = (...parts: readonly [number, number, number]) => new Date(...parts, 23, 30).toISOString();

test("groups entries by day and names today and yesterday [S-59]", () => {
  const times = [on(2026, 10, 16), on(2026, 10, 15), on(2026, 10, 15), on(2026, 10, 2), on(2025, 0, 1)];
  expect(byDay(times, (at) => at, now).map(({ day, items }) => [day, items.length])).toEqual([
    ["Today", 1],
    ["Yesterday", 2],
    ["Monday 2 November", 1],
    ["1 January 2025", 1],
  ]);
});
