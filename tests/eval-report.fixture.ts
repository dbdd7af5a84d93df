import { Digest } from "@skillhold/protocol";
import type { EvalReportBody } from "@skillhold/protocol/http";

const NO_CONTENT = Digest.parse(`sha256:${"0".repeat(64)}`);
const AT = "2026-01-01T00:00:00.000Z";

type Report<K extends EvalReportBody["kind"]> = Extract<EvalReportBody, { readonly kind: K }>;

/** An offline trigger report of one query, which another skill wins. */
export function offlineReport(skill: string, treeHash = NO_CONTENT): Report<"offline"> {
  return {
    kind: "offline",
    skill,
    treeHash,
    at: AT,
    skills: 2,
    hitAt1: { value: 0, low: 0, high: 0.79 },
    queries: [
      {
        query: "fill in this form",
        shouldTrigger: true,
        rank: 2,
        margin: -0.4,
        rival: { skill: "forms", words: ["form"] },
      },
    ],
    notes: [],
  };
}

/** A task report of one case in two arms: the skill helps. */
export function taskReport(skill: string, treeHash = NO_CONTENT): Report<"tasks"> {
  const counts = { passed: 0, failed: 0, ungraded: 0, error: 0, timeout: 0 };
  const usage = { input: 900, output: 100, cached: 0 };
  const trial = (arm: "with_skill" | "without_skill", verdict: "pass" | "fail") => ({
    ...{ caseId: "form", arm, run: 1, outcome: "done" as const, passRate: verdict === "pass" ? 1 : 0 },
    grades: [{ text: "The form is filled in", verdict, evidence: "fields: 0", by: "check" as const }],
    ...{ skillsRead: [], tools: {}, ms: 1200, usage, turns: 2, output: `the ${verdict} output` },
  });
  return {
    kind: "tasks",
    skill,
    treeHash,
    at: AT,
    runner: { id: "loop", model: "test-model" },
    runs: 1,
    planned: 2,
    spent: { tokens: 2000, ms: 2400 },
    arms: [
      {
        name: "with_skill",
        treeHash,
        counts: { ...counts, passed: 1 },
        passed: { value: 1, low: 0.2, high: 1 },
      },
      { name: "without_skill", counts: { ...counts, failed: 1 }, passed: { value: 0, low: 0, high: 0.8 } },
    ],
    comparison: { delta: { value: 1, low: 0.1, high: 1 }, p: 0.5, verdict: "not significant" },
    cases: [{ id: "form", scores: { with_skill: [1], without_skill: [0] }, silent: [] }],
    trials: [trial("with_skill", "pass"), trial("without_skill", "fail")],
    notes: ["Fewer than 3 runs of each case: chance can explain large differences."],
  };
}
