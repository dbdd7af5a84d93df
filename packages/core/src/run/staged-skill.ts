import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Limits } from "@skillhold/protocol";
import type { SkillContent } from "../library/library.ts";
import type { Ids } from "../port.ts";
import { makeStage, removeStage } from "../sandbox/stage.ts";
import type { ClearanceContext } from "./clearance.ts";

/** For one skill: the way to it through the gate, and all that running it depends on. */
export interface RunContext extends ClearanceContext {
  readonly ids: Ids;
  readonly limits: Limits;
  /** The agent that it is run for, whose own secrets count before those for all. */
  readonly agent: string | undefined;
  /** Writes the bundle to an empty folder, through the gate. */
  readonly copy: (folder: string) => Promise<SkillContent>;
}

/** A copy that nobody else writes to, and what the hash of it is. `removeStage(stage)` takes it away. */
export interface StagedSkill {
  readonly stage: string;
  readonly folder: string;
  readonly content: SkillContent;
}

export async function stageSkill({ copy }: Pick<RunContext, "copy">): Promise<StagedSkill> {
  const stage = await makeStage();
  try {
    const folder = join(stage, "skill");
    mkdirSync(folder);
    // The umask of the process must not close it to the user that the run is made by.
    chmodSync(folder, 0o755);
    return { stage, folder, content: await copy(folder) };
  } catch (error) {
    await removeStage(stage);
    throw error;
  }
}
