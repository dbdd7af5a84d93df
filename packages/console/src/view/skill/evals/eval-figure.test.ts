import { Digest } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { chartPoints, type EvalSummary, percent, points, revisionLabel } from "./eval-figure.ts";

const rate = (value: number) => ({ value, low: value / 2, high: 1 });
const counts = { passed: 0, failed: 0, ungraded: 0, error: 0, timeout: 0 };

function tasks(treeHash: string, revisions: readonly number[], value: number): EvalSummary {
  const about = { kind: "tasks", at: "2026-01-01T00:00:00.000Z", by: "ada", notes: [] } as const;
  return {
    ...about,
    ...{ id: treeHash, treeHash: Digest.parse(`sha256:${treeHash.repeat(64)}`), revisions },
    arms: [
      { name: "with_skill", counts, passed: rate(value) },
      { name: "without_skill", counts, passed: rate(0) },
    ],
  };
}

test("the chart shows the newest eval of each content, by revision [S-51] [S-59]", () => {
  const chart = chartPoints([tasks("b", [2], 0.75), tasks("a", [1, 3], 0.5), tasks("b", [2], 0.25)]);
  expect(chart.map(({ label, withSkill }) => [label, withSkill.value])).toEqual([
    ["r1, r3", 0.5],
    ["r2", 0.75],
  ]);
});

test("an eval without a graded run is not in the chart [S-51] [S-59]", () => {
  const [arm] = tasks("a", [1], 1).arms ?? [];
  if (arm === undefined) throw new Error("no arm");
  const { passed: _, ...ungraded } = arm;
  expect(chartPoints([{ ...tasks("a", [1], 1), arms: [ungraded] }])).toEqual([]);
});

test("figures have an interval, and a missing one is a dash [S-51] [S-59]", () => {
  expect(percent({ value: 0.834, low: 0.62, high: 0.94 })).toBe("83 % (62–94)");
  expect(percent(undefined)).toBe("–");
  expect(points({ value: 0.25, low: -0.1, high: 0.6 })).toBe("+25 points (-10 to +60)");
  expect(revisionLabel({ revisions: [] })).toBe("proposed");
});
