import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Library, Viewer } from "@skillhold/core/library";
import type { Timers } from "@skillhold/core/port";
import { withDescription } from "@skillhold/skill";
import type { Runner } from "../runner/runner.ts";
import type { BudgetLimits } from "../task/budget.ts";
import { layOutForTrials } from "../trial/skill-folder.ts";
import { runTriggers, type TriggerRequest } from "../trigger/trigger-run.ts";
import type { Scorer } from "./optimizer.ts";

export interface AgentScorerOptions
  extends Pick<TriggerRequest, "runs" | "limits" | "budget" | "price" | "parallel" | "signal"> {
  /** The skills that agents see, the one under evaluation included. */
  readonly skillIds: readonly string[];
  /** An empty folder for catalogues and trials. */
  readonly place: string;
}

export interface AgentScorerPorts {
  readonly library: Library;
  readonly viewer: Viewer;
  readonly runner: Runner;
  readonly timers: Timers;
}

/**
 * Scores descriptions with agents, each in a catalogue of its own. The budget is for all scores together; when it is
 * used up, queries have no score.
 */
export function agentScorer(
  options: AgentScorerOptions,
  { library, viewer, runner, timers }: AgentScorerPorts,
): Scorer {
  const { skillIds, place, budget, ...settings } = options;
  let number = 0;
  let left: BudgetLimits = budget;
  return {
    score: async (skill, queries, descriptions) => {
      number += 1;
      const folder = join(place, `score-${number}`);
      const ids = [...new Set([...skillIds, skill])];
      const skills = await layOutForTrials(ids, join(folder, "skills"), { library, viewer });
      for (const [id, description] of Object.entries(descriptions))
        rewrite(join(skills.path, id), description);
      const request = { skill, queries, skills, ...settings, budget: left, place: join(folder, "trials") };
      const { trials, spent } = await runTriggers(request, { runner, timers });
      left = subtract(left, spent);
      return queries.map(({ query, shouldTrigger }) => {
        const verdicts = trials.filter((trial) => trial.query === query).map(({ verdict }) => verdict);
        const judged = verdicts.filter((verdict) => verdict === "yes" || verdict === "no");
        const right = judged.filter((verdict) => (verdict === "yes") === shouldTrigger).length;
        return judged.length === 0 ? undefined : right / judged.length;
      });
    },
  };
}

/** Contract: the folder is a copy for trials, whose files are read-only. */
function rewrite(folder: string, description: string): void {
  const file = join(folder, "SKILL.md");
  const text = withDescription(readFileSync(file, "utf8"), description);
  chmodSync(file, 0o644);
  writeFileSync(file, text);
}

function subtract(
  { tokens, usd, ms }: BudgetLimits,
  spent: { readonly tokens: number; readonly usd?: number; readonly ms: number },
): BudgetLimits {
  return {
    ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - spent.tokens) }),
    ...(usd === undefined ? {} : { usd: Math.max(0, usd - (spent.usd ?? 0)) }),
    ...(ms === undefined ? {} : { ms: Math.max(0, ms - spent.ms) }),
  };
}
