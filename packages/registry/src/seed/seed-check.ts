import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { settleMissing } from "../release/settle.ts";
import { stageFolder } from "../release/stage.ts";
import { systemActor } from "./seed-actor.ts";

/** A bundled skill that is in the store. */
export interface CheckedSeed {
  readonly id: string;
  readonly folder: string;
  readonly within: string;
}

export interface CheckOptions {
  readonly signal?: AbortSignal;
  readonly onProblem?: (problem: unknown) => void;
}

/**
 * Finds out what bundled skills miss on this machine, one after the other, and settles their status. Disabled ones are
 * left out. A check that fails is told and harms nobody, so that this never rejects.
 */
export async function checkSeeds(
  seeds: readonly CheckedSeed[],
  { signal, onProblem = () => {} }: CheckOptions,
  context: RegistryContext,
): Promise<void> {
  const missing = context.hooks?.missing?.bind(context.hooks);
  if (missing === undefined) return;
  for (const seed of seeds) {
    if (signal?.aborted === true) return;
    try {
      await checkSeed(seed, missing, context);
    } catch (problem) {
      onProblem(problem);
    }
  }
}

type Missing = NonNullable<NonNullable<RegistryContext["hooks"]>["missing"]>;

async function checkSeed(seed: CheckedSeed, missing: Missing, context: RegistryContext): Promise<void> {
  const { store, limits } = context;
  const skill = await store.findSkill(seed.id);
  if (skill === undefined || !isChecked(skill)) return;
  const revision = await store.findRevision(skill.uid, skill.revision);
  // Read again, because the bytes of all bundled skills are too much to keep until each has its turn.
  const staged = await stageFolder(seed.folder, { within: seed.within, allowHardLinks: true }, limits);
  if (revision === undefined || staged.treeHash !== skill.treeHash) return;
  const found = await missing(staged, revision.manifest);
  await settleMissing(skill, found, { by: systemActor, isArchived: true }, context);
}

function isChecked({ isSystem, isEnabled, status }: RegisteredSkill): boolean {
  return isSystem && isEnabled && status !== "deleted";
}
