import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { modulePlaces } from "@skillhold/core/dependency";
import type { SkillContent } from "@skillhold/core/library";
import type { RunContext, RunEnvironment, RunPorts, SandboxSpec } from "@skillhold/core/run";
import { rejectCanceled } from "../backend/cancel.ts";
import { makeStage, removeStage } from "../backend/stage.ts";

/** A private copy of a skill and its hash. Remove it with `removeStage(stage)`. */
export interface SkillCopy {
  readonly stage: string;
  readonly folder: string;
  readonly content: SkillContent;
}

export async function stageSkill({ copy, signal }: Pick<RunContext, "copy" | "signal">): Promise<SkillCopy> {
  rejectCanceled(signal);
  const stage = await makeStage();
  try {
    const folder = join(stage, "skill");
    mkdirSync(folder);
    // Independent of the umask, because the run may use another user.
    chmodSync(folder, 0o755);
    const content = await copy(folder);
    rejectCanceled(signal);
    return { stage, folder, content };
  } catch (error) {
    await removeStage(stage);
    throw error;
  }
}

/** The installed packages of the skill that is about to run. */
export async function findRunEnvironment(
  { folder, content }: SkillCopy,
  { environment }: RunPorts,
): Promise<RunEnvironment | undefined> {
  return await environment?.({ id: content.entry.id, treeHash: content.treeHash, folder });
}

/**
 * Adds the variables that find the skill's modules and the environment's packages. The command's own variables take
 * precedence.
 */
export function withEnvironment(
  command: SandboxSpec["command"],
  script: string,
  { files }: Pick<SkillContent, "files">,
  environment: RunEnvironment | undefined,
): SandboxSpec["command"] {
  const folders = new Set(files.filter(({ path }) => path.endsWith(".py")).map(({ path }) => dirname(path)));
  const places = modulePlaces([script]).filter((place) => folders.has(place === "" ? "." : place));
  return (paths) => {
    const { argv, env } = command(paths);
    const installed = environment?.env(paths) ?? {};
    const python = [...places.map((place) => join(paths.skill, place)), installed["PYTHONPATH"] ?? []].flat();
    const found = python.length === 0 ? {} : { PYTHONPATH: python.join(":") };
    return { argv, env: { ...installed, ...found, ...env } };
  };
}
