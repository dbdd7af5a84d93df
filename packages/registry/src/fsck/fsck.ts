import { join } from "node:path";
import type { Digest } from "@skillhold/protocol";
import { skillLock, treeLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { removeCopy } from "../release/copy-folder.ts";
import { allTrees, graceOf, type SweepOptions, sweepStore } from "../release/sweep.ts";
import { checkCopies, readCopy } from "./fsck-copy.ts";
import { checkEvents } from "./fsck-event.ts";
import { type FsckFinding, FsckFindings } from "./fsck-finding.ts";
import { checkSkills } from "./fsck-skill.ts";
import { checkBlobs, checkTrees } from "./fsck-tree.ts";

export interface FsckOptions {
  /** Removes unneeded data and repairs damage that has only one possible repair. */
  readonly repair?: boolean;
  /** The minimum age of unreferenced bytes before they are removed; at least one hour. */
  readonly graceMs?: number;
  /** The folder for copies. Checked as well, and used to restore damaged bytes. */
  readonly copies?: string;
}

export interface FsckReport {
  readonly findings: readonly FsckFinding[];
  /** The number of findings, including those that are not listed. */
  readonly total: number;
  readonly checked: FsckCounts;
  /** True if the remaining findings are only wasted space. */
  readonly isClean: boolean;
}

export interface FsckCounts {
  readonly skills: number;
  readonly revisions: number;
  readonly trees: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly events: number;
}

/**
 * Verifies every row, reference and byte while others work. Each step reads references before their targets,
 * and events last, so that a concurrent publish never looks like damage.
 */
export async function fsck(options: FsckOptions, context: RegistryContext): Promise<FsckReport> {
  const { store, clock } = context;
  const graceMs = graceOf(options);
  const before = new Date(clock.now().getTime() - graceMs);
  const findings = new FsckFindings();
  const since = await store.lastEvent();
  const skills = await checkSkills(findings, context);
  const trees = await checkTrees(skills.named, since, findings, context);
  const blobs = await checkBlobs(trees.named, before, findings, context);
  const events = await checkEvents(skills.rows, since, findings, context);
  if (options.copies !== undefined) await checkCopies(options.copies, before, findings, context);
  if (options.repair === true) await repairStore(findings, { ...options, graceMs }, context);
  return {
    findings: findings.list(),
    total: findings.total,
    checked: { skills: skills.rows.size, revisions: skills.revisions, trees: trees.count, ...blobs, events },
    isClean: !findings.isDamaged,
  };
}

/** Repairs findings that have only one possible repair: bytes by their hash, counts by counting. */
async function repairStore(
  findings: FsckFindings,
  options: SweepOptions & { readonly copies?: string },
  context: RegistryContext,
): Promise<void> {
  for (const id of findings.subjects("LAST_REVISION_WRONG")) await repairCount(id, findings, context);
  const { copies } = options;
  if (copies !== undefined) {
    await repairTrees(copies, findings, context);
    for (const code of ["COPY_DAMAGED", "COPY_ORPHAN"] as const) {
      for (const path of findings.subjects(code)) {
        await removeCopy(join(copies, path));
        findings.repair(code, path);
      }
    }
  }
  // Data that looks unreferenced may belong to a damaged row.
  if (findings.isDamaged) return;
  const { leftovers } = await sweepStore(options, context);
  for (const code of ["BLOB_ORPHAN", "TREE_ORPHAN"] as const)
    for (const subject of findings.subjects(code)) findings.repair(code, subject);
  if (leftovers === 0) return;
  findings.add("LEFTOVERS", "blobs", `Crashed writers left ${leftovers} files.`);
  findings.repair("LEFTOVERS", "blobs");
}

/** Sets the count to the highest existing number. The count is internal, so no event records the change. */
async function repairCount(id: string, findings: FsckFindings, { store }: RegistryContext): Promise<void> {
  const isRepaired = await store.transaction(async (tx) => {
    await tx.lock(skillLock(id));
    const skill = await tx.findSkill(id);
    const [newest] = skill === undefined ? [] : await tx.listRevisions(skill.uid);
    // A count that is too high may include a lost row, whose number must not be reused.
    if (skill === undefined || newest === undefined || skill.lastRevision > newest.revision) return false;
    await tx.putSkill({ ...skill, lastRevision: newest.revision });
    return true;
  });
  if (isRepaired) findings.repair("LAST_REVISION_WRONG", id);
}

/** Restores trees and blobs from copies. */
async function repairTrees(copies: string, findings: FsckFindings, context: RegistryContext): Promise<void> {
  // The subjects of tree findings are hashes.
  const trees = new Set(findings.subjects("TREE_DAMAGED", "TREE_MISSING") as readonly Digest[]);
  const blobs = new Set<string>(findings.subjects("BLOB_DAMAGED", "BLOB_MISSING"));
  for await (const { hash, files } of allTrees(context.store))
    if (files.some(({ digest }) => blobs.has(digest))) trees.add(hash);
  for (const hash of trees) {
    const files = await readCopy(copies, hash, context);
    if (files === undefined) continue;
    await context.store.blobs.put(files.map(({ digest, content }) => ({ digest, bytes: content })));
    await context.store.transaction(async (tx) => {
      await tx.lock(treeLock(hash));
      await tx.putTree(
        hash,
        files.map(({ path, size, digest, executable }) => ({ path, size, digest, executable })),
      );
    });
    for (const code of ["TREE_DAMAGED", "TREE_MISSING"] as const) findings.repair(code, hash);
    for (const { digest } of files)
      for (const code of ["BLOB_DAMAGED", "BLOB_MISSING"] as const) findings.repair(code, digest);
  }
}
