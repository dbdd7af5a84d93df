import type { SkillMetrics, SkillRow } from "@skillhold/protocol/http";

export interface FailingSkill {
  readonly id: string;
  readonly failures: number;
  readonly runs: number;
}

/** Skills with failed runs, the highest share of failures first. */
export function failingOf(metrics: readonly SkillMetrics[]): readonly FailingSkill[] {
  return metrics
    .map(({ skill, runs, toolCalls, runFailures, toolFailures }) => ({
      id: skill,
      failures: runFailures + toolFailures,
      runs: runs + toolCalls,
    }))
    .filter(({ failures }) => failures > 0)
    .toSorted((a, b) => b.failures / b.runs - a.failures / a.runs || b.failures - a.failures);
}

/** Skills in use by no agent so far, although they are offered. */
export function unusedOf(rows: readonly SkillRow[], metrics: readonly SkillMetrics[]): readonly SkillRow[] {
  const used = new Set(
    metrics.filter(({ activations, reads }) => activations + reads > 0).map(({ skill }) => skill),
  );
  return rows.filter(({ entry, access }) => access.isVisible && !used.has(entry.id));
}
