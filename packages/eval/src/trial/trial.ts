import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Timers } from "@skillhold/core/port";
import type { TokenUsage } from "../model/usage.ts";
import { noUsage, type Outcome, type Runner, type RunnerEvent, type TrialLimits } from "../runner/runner.ts";
import { WorkFolder } from "../runner/work-folder.ts";
import { copySkills, type SkillFolder } from "./skill-folder.ts";

/** One run of an agent in a place of its own. */
export interface TrialRequest {
  readonly prompt: string;
  /** The skills that the agent can see; undefined for an agent without any. */
  readonly skills: SkillFolder | undefined;
  /** Files that lie in the work folder at the start. */
  readonly files: readonly { readonly path: string; readonly content: string | Uint8Array }[];
  readonly limits: TrialLimits & { readonly timeoutMs: number };
  /** Ends the trial once the agent has read this skill. */
  readonly stopAfterRead?: string;
  readonly signal: AbortSignal;
}

export interface Trial {
  readonly outcome: Outcome;
  readonly message?: string;
  readonly events: readonly RunnerEvent[];
  readonly output: string;
  readonly usage: TokenUsage;
  readonly turns: number;
  readonly costUsd?: number;
  readonly ms: number;
  readonly work: WorkFolder;
}

export interface TrialPorts {
  readonly runner: Runner;
  readonly timers: Timers;
}

/**
 * Runs an agent in a fresh HOME and work folder below `place`, hands the trial to `use`, and removes the place.
 * Crashes and timeouts are outcomes; only the caller's own abort is thrown.
 */
export async function withTrial<T>(
  place: string,
  request: TrialRequest,
  use: (trial: Trial) => Promise<T>,
  { runner, timers }: TrialPorts,
): Promise<T> {
  request.signal.throwIfAborted();
  const home = join(place, "home");
  const work = join(place, "work");
  const skills = join(place, "skills");
  mkdirSync(home, { recursive: true });
  mkdirSync(work);
  try {
    const isShared = runner.isReadOnly === true;
    if (request.skills !== undefined && !isShared) await copySkills(request.skills, skills);
    const folder = new WorkFolder(work);
    for (const { path, content } of request.files) folder.write(path, content);
    const started = timers.now();
    const result = await runBounded(
      request,
      { home, work: folder.path, skills: isShared ? (request.skills?.path ?? skills) : skills },
      runner,
      timers,
    );
    request.signal.throwIfAborted();
    return await use({ ...result, ms: timers.now() - started, work: folder });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type Run = Omit<Trial, "ms" | "work">;

async function runBounded(
  { prompt, skills, limits, stopAfterRead, signal }: TrialRequest,
  place: { readonly home: string; readonly work: string; readonly skills: string },
  runner: Runner,
  timers: Timers,
): Promise<Run> {
  const late = new AbortController();
  const cancel = timers.after(limits.timeoutMs, () => late.abort(new Error("The trial took too long.")));
  const failed = (outcome: Outcome, message: string): Run => ({
    outcome,
    message,
    events: [],
    output: "",
    usage: noUsage,
    turns: 0,
  });
  try {
    const result = await runner.run({
      prompt,
      home: place.home,
      work: place.work,
      skills: skills === undefined ? undefined : place.skills,
      skillIds: skills?.skills.map(({ id }) => id) ?? [],
      limits,
      ...(stopAfterRead === undefined ? {} : { stopAfterRead }),
      signal: AbortSignal.any([signal, late.signal]),
    });
    return late.signal.aborted ? { ...result, ...timeout(limits.timeoutMs) } : result;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (late.signal.aborted) return failed("timeout", timeout(limits.timeoutMs).message);
    return failed("error", error instanceof Error ? error.message : String(error));
  } finally {
    cancel();
  }
}

function timeout(ms: number) {
  return { outcome: "timeout" as const, message: `The trial took longer than ${ms / 1000} s.` };
}
