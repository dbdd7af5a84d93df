import { join } from "node:path";
import type { Timers } from "@skillhold/core/port";
import type { EvalCase } from "../format/eval-set.ts";
import { type Grade, passRate } from "../grade/grade.ts";
import { gradeTrial } from "../grade/grade-trial.ts";
import { type Judge, type JudgedWork, judgedWork, type PairAnswer } from "../grade/judge.ts";
import type { TokenUsage } from "../model/usage.ts";
import { type Outcome, type Runner, skillsRead } from "../runner/runner.ts";
import type { SkillFolder } from "../trial/skill-folder.ts";
import { type Trial, withTrial } from "../trial/trial.ts";
import { Budget, type BudgetLimits, type Price, type Spending } from "./budget.ts";
import { schedule } from "./schedule.ts";

export type ArmName = "with_skill" | "without_skill" | "old_skill" | "new_skill";

/** One side of a comparison: the skills that its agents see. */
export interface Arm {
  readonly name: ArmName;
  readonly skills: SkillFolder | undefined;
  /** The content under evaluation; undefined for the arm without the skill. */
  readonly treeHash?: string;
}

export interface TaskRequest {
  readonly skill: string;
  readonly cases: readonly PreparedCase[];
  /** One or two; the first is the one under evaluation. */
  readonly arms: readonly Arm[];
  readonly runs: number;
  readonly limits: { readonly maxTurns: number; readonly maxTokens: number; readonly timeoutMs: number };
  readonly budget: BudgetLimits;
  readonly price?: Price;
  readonly parallel: number;
  /** Whether the judge also compares the runs of two arms with each other. */
  readonly isPairwise: boolean;
  /** An empty folder for the trials. */
  readonly place: string;
  readonly signal: AbortSignal;
}

/** A case with the bytes of its files. */
export interface PreparedCase extends EvalCase {
  readonly contents: readonly { readonly path: string; readonly content: string | Uint8Array }[];
}

export interface TaskPorts {
  readonly runner: Runner;
  readonly judge?: Judge;
  readonly timers: Timers;
  readonly onProgress?: (done: number, total: number, last: TaskTrial) => void;
  /** Called with each trial while its files are still there. */
  readonly onTrial?: (record: TaskTrial, trial: Trial, evalCase: PreparedCase) => void;
}

/** The record of one trial. */
export interface TaskTrial {
  readonly caseId: string;
  readonly arm: ArmName;
  /** From 1. */
  readonly run: number;
  readonly outcome: Outcome;
  readonly message?: string;
  readonly grades: readonly Grade[];
  /** Undefined for an error, a timeout, and work that could not be graded. */
  readonly passRate?: number;
  readonly skillsRead: readonly string[];
  readonly tools: Readonly<Record<string, number>>;
  readonly ms: number;
  readonly usage: TokenUsage;
  readonly turns: number;
  readonly output: string;
}

export interface PairResult extends PairAnswer {
  readonly caseId: string;
  readonly run: number;
}

export interface TaskResult {
  readonly trials: readonly TaskTrial[];
  readonly pairs: readonly PairResult[];
  readonly planned: number;
  /** The limit that ended the eval early. */
  readonly stoppedBy?: keyof BudgetLimits;
  readonly spent: Spending;
}

const LONGEST_OUTPUT = 20_000;

/** Runs every case in every arm, k times, and grades each run. */
export async function runTasks(request: TaskRequest, ports: TaskPorts): Promise<TaskResult> {
  const budget = new Budget(request.budget, request.price, ports.timers);
  const works = new Map<string, JudgedWork>();
  const jobs = planJobs(request);
  let done = 0;
  const trials = await schedule(
    jobs.map((job) => async () => {
      const trial = await runJob(job, request, budget, works, ports);
      done += 1;
      ports.onProgress?.(done, jobs.length, trial);
      return trial;
    }),
    { parallel: request.parallel, mayBegin: () => budget.exhausted() === undefined },
  );
  const pairs = await comparePairs(request, works, budget, ports);
  const stoppedBy = trials.length < jobs.length ? budget.exhausted() : undefined;
  return {
    trials,
    pairs,
    planned: jobs.length,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    spent: budget.spent(),
  };
}

interface Job {
  readonly evalCase: PreparedCase;
  readonly arm: Arm;
  readonly run: number;
}

/** Runs first, then cases, then arms, so that a budget that ends early leaves the arms even. */
function planJobs({ cases, arms, runs }: TaskRequest): readonly Job[] {
  return Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
    cases.flatMap((evalCase) => arms.map((arm) => ({ evalCase, arm, run }))),
  );
}

async function runJob(
  { evalCase, arm, run }: Job,
  { skill, limits, place, signal }: TaskRequest,
  budget: Budget,
  works: Map<string, JudgedWork>,
  { runner, judge, timers, onTrial }: TaskPorts,
): Promise<TaskTrial> {
  const {
    maxTurns = limits.maxTurns,
    maxTokens = limits.maxTokens,
    timeoutMs = limits.timeoutMs,
  } = evalCase.limits;
  const request = {
    prompt: evalCase.prompt,
    skills: arm.skills,
    files: evalCase.contents,
    limits: { maxTurns, maxTokens, timeoutMs },
    signal,
  };
  const folder = join(place, `${evalCase.id.replaceAll(/[^\w-]/g, "_").slice(0, 60)}-${arm.name}-${run}`);
  return await withTrial(
    folder,
    request,
    async (trial) => {
      budget.spend(trial.usage, trial.costUsd);
      const graded =
        trial.outcome === "done"
          ? await gradeTrial(evalCase, trial, skill, { ...(judge === undefined ? {} : { judge }), signal })
          : undefined;
      if (graded !== undefined) {
        budget.spend(graded.usage);
        works.set(workKey(evalCase.id, arm.name, run), judgedWork(trial));
      }
      const record = recordOf({ caseId: evalCase.id, arm: arm.name, run }, trial, graded?.grades ?? []);
      onTrial?.(record, trial, evalCase);
      return record;
    },
    { runner, timers },
  );
}

function recordOf(
  place: Pick<TaskTrial, "caseId" | "arm" | "run">,
  { outcome, message, events, output, usage, turns, ms }: Trial,
  grades: readonly Grade[],
): TaskTrial {
  const rate = outcome === "done" ? passRate(grades) : undefined;
  const tools: Record<string, number> = {};
  for (const { tool } of events) tools[tool] = (tools[tool] ?? 0) + 1;
  return {
    ...place,
    outcome,
    ...(message === undefined ? {} : { message }),
    grades,
    ...(rate === undefined ? {} : { passRate: rate }),
    skillsRead: skillsRead(events),
    tools,
    ms,
    usage,
    turns,
    output: output.slice(0, LONGEST_OUTPUT),
  };
}

function workKey(caseId: string, arm: ArmName, run: number): string {
  return JSON.stringify([caseId, arm, run]);
}

/** Compares run i of one arm with run i of the other, where both came to an end. */
async function comparePairs(
  { cases, arms: [first, second], runs, isPairwise, parallel, signal }: TaskRequest,
  works: ReadonlyMap<string, JudgedWork>,
  budget: Budget,
  { judge }: TaskPorts,
): Promise<readonly PairResult[]> {
  if (!isPairwise || judge === undefined || first === undefined || second === undefined) return [];
  const jobs = Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
    cases.flatMap(({ id, prompt, expected }) => {
      const [one, two] = [first, second].map((arm) => works.get(workKey(id, arm.name, run)));
      if (one === undefined || two === undefined) return [];
      const task = { prompt, ...(expected === undefined ? {} : { expected }) };
      return [
        async (): Promise<PairResult> => ({
          caseId: id,
          run,
          ...(await judge.compare({ task, first: one, second: two }, signal)),
        }),
      ];
    }),
  );
  return await schedule(jobs, { parallel, mayBegin: () => budget.exhausted() === undefined });
}
