import type { TriggerQuery } from "../format/trigger-set.ts";
import { present } from "../present.ts";
import { type Interval, wilson } from "../stats/interval.ts";
import type { BudgetLimits, Spending } from "../task/budget.ts";
import type { TriggerResult, TriggerTrial } from "./trigger-run.ts";

/** A query triggers when at least half of its runs with a verdict read the skill. */
export const TRIGGER_THRESHOLD = 0.5;

/** What a trigger eval with an agent found, ready to be stored. */
export interface TriggerReport {
  readonly kind: "triggers";
  readonly skill: string;
  readonly treeHash: string;
  readonly at: string;
  readonly runner: { readonly id: string; readonly model: string };
  readonly runs: number;
  readonly distractors: number;
  readonly planned: number;
  readonly stoppedBy?: keyof BudgetLimits;
  readonly spent: Spending;
  /** Of the queries that should trigger, those that do. */
  readonly recall?: Interval;
  /** Of the queries that trigger, those that should. */
  readonly precision?: Interval;
  /** Of the queries that should not trigger, those that do not. */
  readonly specificity?: Interval;
  readonly counts: Readonly<Record<TriggerTrial["verdict"], number>>;
  readonly queries: readonly TriggerQueryReport[];
  readonly notes: readonly string[];
}

export interface TriggerQueryReport extends TriggerQuery {
  /** Undefined when no run has a verdict. */
  readonly rate?: number;
  readonly verdicts: readonly TriggerTrial["verdict"][];
  readonly isRight?: boolean;
  /** Skills that were read instead of this one, with how often and the words that speak for them. */
  readonly instead: readonly {
    readonly skill: string;
    readonly times: number;
    readonly words: readonly string[];
  }[];
}

export interface TriggerReportContext {
  readonly skill: string;
  readonly treeHash: string;
  readonly at: Date;
  readonly runner: { readonly id: string; readonly model: string };
  readonly runs: number;
  readonly distractors: number;
  /** The words of a query that another skill has and this one lacks. */
  readonly wordsFor: (query: string, other: string) => Promise<readonly string[]>;
}

export async function reportTriggers(
  queries: readonly TriggerQuery[],
  { trials, planned, stoppedBy, spent }: TriggerResult,
  { at, wordsFor, ...context }: TriggerReportContext,
): Promise<TriggerReport> {
  const rows = await Promise.all(
    queries.map((query) =>
      reportQuery(
        query,
        trials.filter((trial) => trial.query === query.query),
        wordsFor,
      ),
    ),
  );
  const judged = rows.filter(({ rate }) => rate !== undefined);
  const fires = ({ rate = 0 }: TriggerQueryReport) => rate >= TRIGGER_THRESHOLD;
  const positives = judged.filter(({ shouldTrigger }) => shouldTrigger);
  const negatives = judged.filter(({ shouldTrigger }) => !shouldTrigger);
  const fired = judged.filter(fires);
  const count = (verdict: TriggerTrial["verdict"]) =>
    trials.filter((trial) => trial.verdict === verdict).length;
  const counts = { yes: count("yes"), no: count("no"), error: count("error"), timeout: count("timeout") };
  return {
    kind: "triggers",
    ...context,
    at: at.toISOString(),
    planned,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    spent,
    ...present({ recall: wilson(positives.filter(fires).length, positives.length) }),
    ...present({
      precision: wilson(fired.filter(({ shouldTrigger }) => shouldTrigger).length, fired.length),
    }),
    ...present({ specificity: wilson(negatives.filter((row) => !fires(row)).length, negatives.length) }),
    counts,
    queries: rows,
    notes: notesOf(context.runner.id, rows, counts),
  };
}

async function reportQuery(
  query: TriggerQuery,
  trials: readonly TriggerTrial[],
  wordsFor: TriggerReportContext["wordsFor"],
): Promise<TriggerQueryReport> {
  const verdicts = trials.map(({ verdict }) => verdict);
  const yes = verdicts.filter((verdict) => verdict === "yes").length;
  const judged = yes + verdicts.filter((verdict) => verdict === "no").length;
  const rate = judged === 0 ? undefined : yes / judged;
  const others = trials.filter(({ verdict }) => verdict === "no").flatMap(({ others }) => others);
  const instead = await Promise.all(
    [...Map.groupBy(others, (id) => id)].map(async ([skill, list]) => ({
      skill,
      times: list.length,
      words: await wordsFor(query.query, skill),
    })),
  );
  return {
    ...query,
    ...(rate === undefined ? {} : { rate, isRight: rate >= TRIGGER_THRESHOLD === query.shouldTrigger }),
    verdicts,
    instead: instead.toSorted((a, b) => b.times - a.times),
  };
}

function notesOf(
  runner: string,
  rows: readonly TriggerQueryReport[],
  { error, timeout }: TriggerReport["counts"],
): readonly string[] {
  const open = rows.filter(({ rate }) => rate === undefined).length;
  return [
    ...(runner === "script"
      ? ["The runner is a script: this tests the harness and does not measure the skill."]
      : []),
    ...(error + timeout === 0 ? [] : [`${error} errors and ${timeout} timeouts are in no rate.`]),
    ...(open === 0 ? [] : [`${open} queries have no verdict at all.`]),
  ];
}
