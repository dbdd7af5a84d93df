import { expect, test } from "vitest";
import { barsOf, fillDays } from "./day.ts";

const now = new Date("2026-03-01T00:30:00Z");
const used = { day: "2026-02-28", activations: 3, reads: 4, runs: 1, failures: 1 };
const none = { activations: 0, reads: 0, runs: 0, failures: 0 };

test("includes days without use, in order, across months [S-59]", () => {
  expect(fillDays([used], now, 3)).toEqual([
    { day: "2026-02-27", ...none },
    used,
    { day: "2026-03-01", ...none },
  ]);
});

test("bars are relative to the tallest, and failures to their bar [S-59]", () => {
  const { bars, most } = barsOf([used, { ...none, day: "2026-03-01", activations: 4 }]);
  expect(most).toBe(8);
  expect(bars.map(({ good, failed }) => [good, failed])).toEqual([
    [7 / 8, 1 / 8],
    [0.5, 0],
  ]);
});

test("handles no use at all [S-59]", () => {
  expect(barsOf([{ ...none, day: "2026-03-01" }]).bars).toMatchObject([{ good: 0, failed: 0 }]);
});
