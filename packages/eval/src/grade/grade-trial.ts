import type { EvalCase } from "../format/eval-set.ts";
import type { Usage } from "../model/usage.ts";
import { noUsage } from "../runner/runner.ts";
import type { Trial } from "../trial/trial.ts";
import { runCheck } from "./check.ts";
import type { Grade } from "./grade.ts";
import { type Judge, judgedWork } from "./judge.ts";

export interface GradePorts {
  /** Grades what no check can; without it such assertions stay ungraded. */
  readonly judge?: Judge;
  readonly signal: AbortSignal;
}

export interface GradedTrial {
  /** In the order of the case's assertions. */
  readonly grades: readonly Grade[];
  readonly usage: Usage;
}

/** Grades a finished trial: checks first, then one question to the judge for the rest. */
export async function gradeTrial(
  { prompt, expected, assertions }: EvalCase,
  trial: Trial,
  skill: string,
  { judge, signal }: GradePorts,
): Promise<GradedTrial> {
  const checked = assertions.map(({ text, check }): Grade | undefined =>
    check === undefined ? undefined : { text, by: "check", ...runCheck(check, { trial, skill }) },
  );
  const open = assertions.filter((_, index) => checked[index] === undefined).map(({ text }) => text);
  const judged = await askJudge(
    { prompt, ...(expected === undefined ? {} : { expected }) },
    open,
    trial,
    judge,
    signal,
  );
  let next = 0;
  const grades = checked.map((grade): Grade => {
    if (grade !== undefined) return grade;
    const text = open[next] ?? "";
    const answer = judged.verdicts[next];
    next += 1;
    if (answer === undefined) return { text, by: "judge", verdict: "ungraded", evidence: judged.problem };
    return { text, by: "judge", verdict: answer.isPassed ? "pass" : "fail", evidence: answer.evidence };
  });
  return { grades, usage: judged.usage };
}

async function askJudge(
  task: { readonly prompt: string; readonly expected?: string },
  open: readonly string[],
  trial: Trial,
  judge: Judge | undefined,
  signal: AbortSignal,
) {
  if (open.length === 0) return { verdicts: [], usage: noUsage, problem: "" };
  if (judge === undefined)
    return { verdicts: [], usage: noUsage, problem: "There is no judge; add --judge-model." };
  const { problem = "The judge gave no verdict.", ...answer } = await judge.grade(
    { task, work: judgedWork(trial), assertions: open },
    signal,
  );
  return { ...answer, problem };
}
