import type { Usage } from "../model/usage.ts";
/** Runs an agent on one prompt. */
export interface Runner {
  /** Names the kind of runner in reports: `loop`, `claude`, `codex`, `script`. */
  readonly id: string;
  /** The model behind it, as far as it is known. */
  readonly model: string;
  /** Whether its agents cannot change the skills folder, so that trials can share one. */
  readonly isReadOnly?: boolean;
  /** Contract: never throws for what the agent, the model or its program does; that is an outcome. */
  run(request: RunnerRequest): Promise<RunnerResult>;
}

export interface RunnerRequest {
  readonly prompt: string;
  /** An empty folder to use as HOME. */
  readonly home: string;
  /** The agent's work folder, with the files of the case. */
  readonly work: string;
  /** A folder with one folder for each skill that the agent can see; undefined for an agent without skills. */
  readonly skills: string | undefined;
  readonly skillIds: readonly string[];
  readonly limits: TrialLimits;
  /** Ends the run once the agent has read this skill, for evals that ask only this. */
  readonly stopAfterRead?: string;
  readonly signal: AbortSignal;
}

export interface TrialLimits {
  readonly maxTurns: number;
  readonly maxTokens: number;
}

/** How an agent ended. An error or a timeout is an outcome of its own and never a verdict. */
export type Outcome = "done" | "error" | "timeout";

export interface RunnerResult {
  readonly outcome: "done" | "error";
  /** Why it is an error. */
  readonly message?: string;
  readonly events: readonly RunnerEvent[];
  /** The agent's last words. */
  readonly output: string;
  readonly usage: Usage;
  readonly turns: number;
  /** What the runner says that it cost. */
  readonly costUsd?: number;
}

export const noUsage: Usage = { input: 0, output: 0, cached: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input: a.input + b.input, output: a.output + b.output, cached: a.cached + b.cached };
}

/** One tool call, with its meaning for skills where it has one. */
export interface RunnerEvent {
  readonly tool: string;
  readonly input: unknown;
  /** The skill whose instructions the call loaded. */
  readonly skillRead?: string;
  /** The script that the call ran, with its exit code where it is known. */
  readonly scriptRun?: { readonly skill: string; readonly script: string; readonly exitCode?: number };
}

/** The skills that were read, in the order of the first read. */
export function skillsRead(events: readonly RunnerEvent[]): readonly string[] {
  return [...new Set(events.flatMap(({ skillRead }) => skillRead ?? []))];
}
