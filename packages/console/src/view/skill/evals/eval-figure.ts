import type { Answer } from "../../../api/client.ts";

export type EvalSummary = Answer<"GET /v1/skills/{id}/evals">["evals"][number];
export type EvalReport = Answer<"GET /v1/skills/{id}/evals/{report}">["report"];
export type Interval = NonNullable<EvalSummary["recall"]>;
export type TaskReport = Extract<EvalReport, { readonly kind: "tasks" }>;

/** "83 % (62–94)", or a dash without a measurement. */
export function percent(interval: Interval | undefined): string {
  if (interval === undefined) return "–";
  const whole = (share: number) => Math.round(share * 100);
  return `${whole(interval.value)} % (${whole(interval.low)}–${whole(interval.high)})`;
}

/** The difference in points, with its interval. */
export function points({ value, low, high }: Interval): string {
  const signed = (share: number) => `${share > 0 ? "+" : ""}${Math.round(share * 100)}`;
  return `${signed(value)} points (${signed(low)} to ${signed(high)})`;
}

/** "r3", or "r2, r5" for content that came back; the content of a proposal has no revision. */
export function revisionLabel({ revisions }: Pick<EvalSummary, "revisions">): string {
  const numbers = revisions.toSorted((a, b) => a - b);
  return numbers.length === 0 ? "proposed" : numbers.map((number) => `r${number}`).join(", ");
}

export interface ChartPoint {
  readonly label: string;
  readonly withSkill: Interval;
  readonly baseline: Interval | undefined;
  readonly baselineName: string;
}

const MOST_POINTS = 12;

/** One point per content: its newest task eval, ordered by revision. */
export function chartPoints(evals: readonly EvalSummary[]): readonly ChartPoint[] {
  const newest = new Map<string, EvalSummary>();
  for (const each of evals)
    if (each.kind === "tasks" && !newest.has(each.treeHash)) newest.set(each.treeHash, each);
  return [...newest.values()]
    .toSorted((a, b) => firstRevision(a) - firstRevision(b))
    .flatMap((each) => {
      const [first, second] = each.arms ?? [];
      if (first?.passed === undefined) return [];
      return {
        label: revisionLabel(each),
        withSkill: first.passed,
        baseline: second?.passed,
        baselineName: second?.name === "old_skill" ? "old revision" : "without the skill",
      };
    })
    .slice(-MOST_POINTS);
}

function firstRevision({ revisions }: EvalSummary): number {
  return revisions.length === 0 ? 0 : Math.min(...revisions);
}
