import type { RegistryContext } from "../record/registry-context.ts";
import { graceOf } from "../release/sweep.ts";
import { checkCopies } from "./fsck-copy.ts";
import { checkEvents } from "./fsck-event.ts";
import { type FsckFinding, FsckFindings } from "./fsck-finding.ts";
import { repairStore } from "./fsck-repair.ts";
import { checkSkills } from "./fsck-skill.ts";
import { checkBlobs, checkTrees } from "./fsck-tree.ts";

export interface FsckOptions {
  /** Takes away what nobody needs, and mends what can be had again without a doubt. */
  readonly repair?: boolean;
  /** How long bytes that nothing names are left alone: never less than an hour. */
  readonly graceMs?: number;
  /** The folder for copies, which are then looked at as well, and which damaged bytes can be got back from. */
  readonly copies?: string;
}

export interface FsckReport {
  readonly findings: readonly FsckFinding[];
  /** How many there are, those that are not listed included. */
  readonly total: number;
  readonly checked: FsckCounts;
  /** True when no finding is left but of what only takes room. */
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
 * Verifies every row, link and byte, while others work. Each step reads what names something before what it names, and
 * events last, so that what is published meanwhile is never taken for damage.
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
