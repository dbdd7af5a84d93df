import type { Limits } from "@skillhold/protocol";
import type { Library, SkillContent } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { Activation } from "./activation.ts";
import { type ActivatedSkill, writeActivation } from "./activation-text.ts";
import { contentWarnings } from "./content-warning.ts";
import { adviseOnRequirements } from "./requirement.ts";
import { readSupplement } from "./supplement.ts";

export interface Handover {
  readonly content: SkillContent;
  readonly args: string;
  readonly viewer: Viewer;
  /** What is missing for it on this machine, each in a sentence. */
  readonly lacks: readonly string[];
  /** What the session has in use already. */
  readonly active: ReadonlyMap<string, Activation>;
  readonly hasFileSystem: boolean;
  readonly limits: Limits;
}

/** Puts together what an agent is to read of a skill. Nothing is recorded and no file is read but the examples. */
export async function prepareHandover(handover: Handover, library: Library): Promise<ActivatedSkill> {
  const { content, args, viewer, lacks, active, hasFileSystem, limits } = handover;
  const advice = await adviseOnRequirements(content.entry, new Set(active.keys()), viewer, library);
  const supplement = await readSupplement(content, viewer, limits, library);
  const before = active.get(content.entry.id);
  const hasChanged = before !== undefined && before.treeHash !== content.treeHash;
  return writeActivation({
    content,
    args,
    hasFileSystem,
    supplement,
    hints: advice.hints,
    warnings: [
      ...(hasChanged ? ["The skill has changed since it was loaded; this text replaces the former."] : []),
      ...contentWarnings(content),
      ...lacks,
      ...advice.warnings,
      ...supplement.warnings,
    ],
  });
}
