import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SkillContent } from "@skillhold/core/library";
import type { RunContext, RunEnvironment, RunPorts, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol";
import { makeStage, removeStage } from "../backend/stage.ts";

/** A copy that nobody else writes to, and what the hash of it is. `removeStage(stage)` takes it away. */
export interface StagedSkill {
  readonly stage: string;
  readonly folder: string;
  readonly content: SkillContent;
}

export async function stageSkill({
  copy,
  signal,
}: Pick<RunContext, "copy" | "signal">): Promise<StagedSkill> {
  rejectAborted(signal);
  const stage = await makeStage();
  try {
    const folder = join(stage, "skill");
    mkdirSync(folder);
    // The umask of the process must not close it to the user that the run is made by.
    chmodSync(folder, 0o755);
    const content = await copy(folder);
    rejectAborted(signal);
    return { stage, folder, content };
  } catch (error) {
    await removeStage(stage);
    throw error;
  }
}

/** The packages that were installed for what is about to run. */
export async function environmentOf(
  { folder, content }: StagedSkill,
  { environment }: RunPorts,
): Promise<RunEnvironment | undefined> {
  return await environment?.({ id: content.entry.id, treeHash: content.treeHash, folder });
}

/** The same command with the variables by which it finds them; its own count before these. */
export function withEnvironment(
  command: SandboxSpec["command"],
  environment: RunEnvironment | undefined,
): SandboxSpec["command"] {
  if (environment === undefined) return command;
  return (paths) => {
    const { argv, env } = command(paths);
    return { argv, env: { ...environment.env(paths), ...env } };
  };
}

export function rejectAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new SkillError("INTERRUPTED", "It was called off before it started.");
}
