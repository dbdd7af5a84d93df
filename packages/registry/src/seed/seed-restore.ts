import { combineDigests } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { systemActor } from "../ownership/ownership.ts";
import { skillLock, treeLock } from "../record/lock.ts";
import type { RegisteredSkill, TreeFile } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedFile, StagedSkill } from "../record/staged-skill.ts";
import { scanStaged } from "../release/publish.ts";
import { planRelease } from "../release/release.ts";

/**
 * Restores missing or damaged files and the file list of a known tree. Intact files are not written. Returns the
 * paths of the restored files.
 */
export async function restoreFiles(
  staged: StagedSkill,
  context: RegistryContext,
): Promise<readonly string[]> {
  const { store } = context;
  const lost: StagedFile[] = [];
  for (const file of staged.files) if (!(await isWhole(file, context))) lost.push(file);
  if (lost.length > 0) await store.blobs.put(lost.map(({ digest, content }) => ({ digest, bytes: content })));
  const listed = await store.findTree(staged.treeHash);
  if (listed === undefined || combineDigests(listed) !== staged.treeHash) {
    await store.transaction(async (tx) => {
      await tx.lock(treeLock(staged.treeHash));
      await tx.putTree(staged.treeHash, treeOf(staged));
    });
  }
  return lost.map(({ path }) => path);
}

async function isWhole({ digest, size }: StagedFile, { store }: RegistryContext): Promise<boolean> {
  try {
    return (await store.blobs.get(digest)).length === size;
  } catch (error) {
    if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return false;
    throw error;
  }
}

/**
 * Adds the tree hash of the bundled skill to a row that lacks one, without a new revision. Returns false if
 * the revision belongs to another tree or the row changed.
 */
export async function completeRow(
  row: RegisteredSkill,
  staged: StagedSkill,
  context: RegistryContext,
): Promise<boolean> {
  const { store, clock } = context;
  const at = clock.now().toISOString();
  const manifest = await scanStaged(staged, {}, context);
  const provenance = { source: "seed", by: systemActor, at } as const;
  const candidate = { staged, options: { by: systemActor }, provenance, manifest, missing: [], uid: row.uid };
  await store.blobs.put(staged.files.map(({ digest, content }) => ({ digest, bytes: content })));
  return await store.transaction(async (tx) => {
    await tx.lock(skillLock(row.id));
    await tx.lock(treeLock(staged.treeHash));
    const skill = await tx.findSkill(row.uid);
    if (skill === undefined || skill.treeHash !== undefined || skill.revision !== row.revision) return false;
    const known = await tx.findRevision(skill.uid, skill.revision);
    if (known !== undefined && known.treeHash !== staged.treeHash) return false;
    await tx.putTree(staged.treeHash, treeOf(staged));
    await tx.putSkill({ ...skill, treeHash: staged.treeHash, updatedAt: at });
    if (known === undefined) {
      const { revision } = await planRelease(candidate, tx);
      await tx.insertRevision({ ...revision, skill: skill.uid, revision: skill.revision });
    }
    const { id, status, reason, missing } = skill;
    await tx.append({
      type: "skill.status_changed",
      at,
      skill: id,
      by: systemActor,
      status,
      ...(reason === undefined ? {} : { reason }),
      missing,
    });
    return true;
  });
}

function treeOf({ files }: StagedSkill): readonly TreeFile[] {
  return files.map(({ path, size, digest, executable }) => ({ path, size, digest, executable }));
}
