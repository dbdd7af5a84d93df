import { expect, test } from "vitest";
import { uptimeOf } from "./uptime.ts";

test("shows uptime in its two largest units [S-59]", () => {
  const start = "2026-11-16T00:00:00.000Z";
  const after = (seconds: number) => uptimeOf(start, Date.parse(start) + seconds * 1000);
  expect([-5, 59, 60, 3720, 90_061].map(after)).toEqual([
    "less than a minute",
    "less than a minute",
    "1 minute",
    "1 hour 2 minutes",
    "1 day 1 hour",
  ]);
});
