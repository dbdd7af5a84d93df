import { join } from "node:path";
import type { Timers } from "@skillhold/core/port";
import type { TriggerQuery } from "../format/trigger-set.ts";
import { type Runner, skillsRead } from "../runner/runner.ts";
import { Budget, type BudgetLimits, type Price, type Spending } from "../task/budget.ts";
import { schedule } from "../task/schedule.ts";
import type { SkillFolder } from "../trial/skill-folder.ts";
import { type Trial, withTrial } from "../trial/trial.ts";

/** Whether an agent read the skill. A crash or a timeout is neither yes nor no. */
export type TriggerVerdict = "yes" | "no" | "error" | "timeout";

export interface TriggerRequest {
  readonly skill: string;
  readonly queries: readonly TriggerQuery[];
  /** The skill under its real id among others. */
  readonly skills: SkillFolder;
  readonly runs: number;
  readonly limits: { readonly maxTurns: number; readonly maxTokens: number; readonly timeoutMs: number };
  readonly budget: BudgetLimits;
  readonly price?: Price;
  readonly parallel: number;
  /** An empty folder for the trials. */
  readonly place: string;
  readonly signal: AbortSignal;
}

export interface TriggerTrial {
  readonly query: string;
  /** From 1. */
  readonly run: number;
  readonly verdict: TriggerVerdict;
  /** Other skills that the agent read, in order. */
  readonly others: readonly string[];
  readonly message?: string;
  readonly ms: number;
}

export interface TriggerResult {
  readonly trials: readonly TriggerTrial[];
  readonly planned: number;
  readonly stoppedBy?: keyof BudgetLimits;
  readonly spent: Spending;
}

export interface TriggerPorts {
  readonly runner: Runner;
  readonly timers: Timers;
  readonly onProgress?: (done: number, total: number, last: TriggerTrial) => void;
}

/** Asks an agent each query, k times, and sees whether it reads the skill at any step. */
export async function runTriggers(
  request: TriggerRequest,
  { runner, timers, onProgress }: TriggerPorts,
): Promise<TriggerResult> {
  const budget = new Budget(request.budget, request.price, timers);
  const jobs = Array.from({ length: request.runs }, (_, index) => index + 1).flatMap((run) =>
    request.queries.map((query, index) => ({ query, index, run })),
  );
  let done = 0;
  const trials = await schedule(
    jobs.map(({ query: { query }, index, run }) => async () => {
      const place = join(request.place, `query-${index + 1}-${run}`);
      const trial = await withTrial(
        place,
        { prompt: query, files: [], stopAfterRead: request.skill, ...request },
        async (ended) => {
          budget.spend(ended.usage, ended.costUsd);
          return recordOf(query, run, ended, request.skill);
        },
        { runner, timers },
      );
      done += 1;
      onProgress?.(done, jobs.length, trial);
      return trial;
    }),
    { parallel: request.parallel, mayBegin: () => budget.exhausted() === undefined },
  );
  const stoppedBy = trials.length < jobs.length ? budget.exhausted() : undefined;
  return {
    trials,
    planned: jobs.length,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    spent: budget.spent(),
  };
}

function recordOf(
  query: string,
  run: number,
  { outcome, message, events, ms }: Trial,
  skill: string,
): TriggerTrial {
  const read = skillsRead(events);
  const verdict = outcome === "done" ? (read.includes(skill) ? "yes" : "no") : outcome;
  return {
    query,
    run,
    verdict,
    others: read.filter((id) => id !== skill),
    ...(message === undefined ? {} : { message }),
    ms,
  };
}
