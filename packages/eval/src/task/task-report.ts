import { present } from "../present.ts";
import { type Comparison, compareArms } from "../stats/compare.ts";
import { deviation, type Interval, mean, wilson } from "../stats/interval.ts";
import { passAtK, passHatK } from "../stats/pass-at-k.ts";
import type { BudgetLimits, Spending } from "./budget.ts";
import type { Arm, ArmName, PairResult, TaskRequest, TaskResult, TaskTrial } from "./task-run.ts";

/** What an eval of tasks found, ready to be stored. */
export interface TaskReport {
  readonly kind: "tasks";
  readonly skill: string;
  readonly treeHash: string;
  readonly at: string;
  readonly runner: { readonly id: string; readonly model: string };
  readonly judge?: string;
  readonly runs: number;
  readonly planned: number;
  readonly stoppedBy?: keyof BudgetLimits;
  readonly spent: Spending;
  readonly arms: readonly ArmReport[];
  readonly comparison?: Comparison;
  readonly pairs?: PairReport;
  readonly cases: readonly CaseReport[];
  readonly trials: readonly TaskTrial[];
  readonly notes: readonly string[];
}

export interface ArmReport {
  readonly name: ArmName;
  readonly treeHash?: string;
  /** Runs by how they ended; `ungraded` ended well and could not be graded. */
  readonly counts: Readonly<Record<"passed" | "failed" | "ungraded" | "error" | "timeout", number>>;
  /** The share of graded runs in which every assertion passed. */
  readonly passed?: Interval;
  /** The mean share of assertions that passed. */
  readonly score?: Spread;
  readonly seconds?: Spread;
  readonly tokens?: Spread;
  /** The chance that one of k runs passes, and that all of k do, with k the number of runs. */
  readonly passAtK?: number;
  readonly passHatK?: number;
}

export interface Spread {
  readonly mean: number;
  readonly stddev: number;
  readonly min: number;
  readonly max: number;
}

export interface CaseReport {
  readonly id: string;
  readonly scores: Readonly<Partial<Record<ArmName, readonly number[]>>>;
  /** Assertions with the same result in every run of both arms: they do not measure the skill. */
  readonly silent: readonly { readonly text: string; readonly verdict: "pass" | "fail" }[];
}

export interface PairReport {
  readonly first: number;
  readonly second: number;
  readonly tie: number;
  readonly ungraded: number;
  readonly inconsistent: number;
}

export interface ReportContext {
  readonly at: Date;
  readonly runner: { readonly id: string; readonly model: string };
  readonly judge?: string;
}

/** Adds up the trials of an eval. */
export function reportTasks(
  { skill, arms, cases, runs }: Pick<TaskRequest, "skill" | "arms" | "cases" | "runs">,
  { trials, pairs, planned, stoppedBy, spent }: TaskResult,
  { at, runner, judge }: ReportContext,
): TaskReport {
  const caseReports = cases.map(({ id }) => reportCase(id, arms, trials));
  const [first, second] = arms;
  const comparison =
    first === undefined || second === undefined
      ? undefined
      : compareArms(
          caseReports.map(({ scores }) => ({
            first: scores[first.name] ?? [],
            second: scores[second.name] ?? [],
          })),
        );
  return {
    kind: "tasks",
    skill,
    treeHash: first?.treeHash ?? "",
    at: at.toISOString(),
    runner,
    ...(judge === undefined ? {} : { judge }),
    runs,
    planned,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    spent,
    arms: arms.map((arm) => reportArm(arm, trials, runs)),
    ...(comparison === undefined ? {} : { comparison }),
    ...(pairs.length === 0 ? {} : { pairs: countPairs(pairs) }),
    cases: caseReports,
    trials,
    notes: notesOf(runner.id, caseReports, trials, planned, runs),
  };
}

function reportArm({ name, treeHash }: Arm, all: readonly TaskTrial[], runs: number): ArmReport {
  const trials = all.filter(({ arm }) => arm === name);
  const graded = trials.flatMap(({ passRate }) => passRate ?? []);
  const done = trials.filter(({ outcome }) => outcome === "done");
  const passed = graded.filter((rate) => rate === 1).length;
  const counts = {
    passed,
    failed: graded.length - passed,
    ungraded: done.length - graded.length,
    error: trials.filter(({ outcome }) => outcome === "error").length,
    timeout: trials.filter(({ outcome }) => outcome === "timeout").length,
  };
  return {
    name,
    ...(treeHash === undefined ? {} : { treeHash }),
    counts,
    ...present({
      passed: wilson(passed, graded.length),
      score: spread(graded),
      seconds: spread(done.map(({ ms }) => ms / 1000)),
      tokens: spread(done.map(({ usage }) => usage.input + usage.output)),
      passAtK: meanOverCases(trials, (n, c) => passAtK(n, c, runs)),
      passHatK: meanOverCases(trials, (n, c) => passHatK(n, c, runs)),
    }),
  };
}

/** Undefined unless every case has enough graded runs. */
function meanOverCases(
  trials: readonly TaskTrial[],
  estimate: (n: number, c: number) => number | undefined,
): number | undefined {
  const byCase = Map.groupBy(trials, ({ caseId }) => caseId);
  const values = [...byCase.values()].map((list) => {
    const rates = list.flatMap(({ passRate }) => passRate ?? []);
    return estimate(rates.length, rates.filter((rate) => rate === 1).length);
  });
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 || known.length < values.length ? undefined : mean(known);
}

export function spread(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  return {
    mean: mean(values),
    stddev: deviation(values),
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

function reportCase(id: string, arms: readonly Arm[], all: readonly TaskTrial[]): CaseReport {
  const trials = all.filter(({ caseId }) => caseId === id);
  const scores = Object.fromEntries(
    arms.map(({ name }) => [
      name,
      trials.filter(({ arm }) => arm === name).flatMap(({ passRate }) => passRate ?? []),
    ]),
  );
  return { id, scores, silent: arms.length < 2 ? [] : findSilent(trials, arms) };
}

function findSilent(trials: readonly TaskTrial[], arms: readonly Arm[]): CaseReport["silent"] {
  const graded = trials.filter(({ grades }) => grades.length > 0);
  if (!arms.every(({ name }) => graded.some(({ arm }) => arm === name))) return [];
  const [sample] = graded;
  return (sample?.grades ?? []).flatMap(({ text, verdict }, index) => {
    if (verdict === "ungraded") return [];
    const isSame = graded.every(({ grades }) => grades[index]?.verdict === verdict);
    return isSame ? [{ text, verdict }] : [];
  });
}

function countPairs(pairs: readonly PairResult[]): PairReport {
  const count = (winner: PairResult["winner"]) => pairs.filter((pair) => pair.winner === winner).length;
  return {
    first: count("first"),
    second: count("second"),
    tie: count("tie"),
    ungraded: count("ungraded"),
    inconsistent: pairs.filter(({ isConsistent, winner }) => !isConsistent && winner !== "ungraded").length,
  };
}

function notesOf(
  runner: string,
  cases: readonly CaseReport[],
  trials: readonly TaskTrial[],
  planned: number,
  runs: number,
): readonly string[] {
  const lost = trials.filter(({ outcome }) => outcome !== "done").length;
  const ungraded = trials.filter(
    ({ outcome, passRate }) => outcome === "done" && passRate === undefined,
  ).length;
  const silent = cases.reduce((sum, each) => sum + each.silent.length, 0);
  return [
    ...(runner === "script"
      ? ["The runner is a script: this tests the harness and does not measure the skill."]
      : []),
    ...(lost === 0
      ? []
      : [`${lost} of ${trials.length} runs ended in an error or a timeout; they are in no rate.`]),
    ...(ungraded === 0 ? [] : [`${ungraded} runs could not be graded; they are in no rate.`]),
    ...(silent === 0
      ? []
      : [`${silent} assertions have the same result in both arms and do not measure the skill.`]),
    ...(trials.length < planned
      ? [`The budget ended the eval after ${trials.length} of ${planned} runs.`]
      : []),
    ...(runs < 3 ? ["Fewer than 3 runs of each case: chance can explain large differences."] : []),
  ];
}
