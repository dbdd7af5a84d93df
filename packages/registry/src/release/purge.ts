import type { Actor } from "@skillhold/protocol";
import { getManaged } from "../ownership/ownership.ts";
import type { RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { checkGrace } from "./sweep.ts";

export interface PurgeOptions {
  readonly by: Actor;
  /** How many of the newest revisions keep their bytes. By default, only deleted skills are purged. */
  readonly keep?: number;
  /** The minimum age of a revision, or of a deletion, before it is purged. */
  readonly graceMs?: number;
  readonly dryRun?: boolean;
}

export interface Purged {
  readonly id: string;
  /** The revisions that were purged, or would be. */
  readonly revisions: readonly number[];
}

export const PURGE_GRACE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Purges the bytes of a deleted skill or of old revisions. The current revision is kept while the skill
 * exists, and numbers are never reused. `sweepStore` then removes what no revision refers to.
 */
export async function purgeSkill(
  idOrUid: string,
  options: PurgeOptions,
  { store, clock }: RegistryContext,
): Promise<Purged> {
  const { by, graceMs = PURGE_GRACE_MS } = options;
  const now = clock.now();
  const before = new Date(now.getTime() - checkGrace(graceMs)).toISOString();
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx);
    const due = selectDue(skill, await tx.listRevisions(skill.uid), before, options.keep);
    const revisions = due.map(({ revision }) => revision);
    if (options.dryRun === true || due.length === 0) return { id: skill.id, revisions };
    const at = now.toISOString();
    for (const { revision, treeHash } of due) {
      await tx.markPurged(skill.uid, revision, at);
      // Runs of evals contain parts of the purged content.
      await tx.removeEvals(skill.uid, treeHash);
    }
    await tx.append({ type: "skill.purged", at, skill: skill.id, by, revisions });
    return { id: skill.id, revisions };
  });
}

/** Oldest first. All timestamps have the same format, so they compare as text. */
function selectDue(
  { revision: current, deletedAt }: RegisteredSkill,
  revisions: readonly Revision[],
  before: string,
  keep: number | undefined,
): readonly Revision[] {
  const kept = revisions.filter(({ purgedAt }) => purgedAt === undefined);
  if (deletedAt !== undefined) return deletedAt < before ? kept.toReversed() : [];
  if (keep === undefined) return [];
  const old = kept.slice(Math.max(1, keep));
  return old.filter(({ revision, createdAt }) => revision !== current && createdAt < before).toReversed();
}
