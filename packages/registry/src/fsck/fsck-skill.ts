import { isDeepStrictEqual } from "node:util";
import type { Digest } from "@skillhold/protocol";
import type { RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import { allSkills } from "../release/sweep.ts";
import type { FsckFindings } from "./fsck-finding.ts";

/** The rows of a skill, for the later steps. */
export interface SkillRows {
  readonly skill: RegisteredSkill;
  /** The trees of the revisions by number. */
  readonly trees: ReadonlyMap<number, Digest>;
}

/** A revision that must have its bytes. */
export interface NamingRevision {
  readonly id: string;
  readonly revision: Revision;
}

export interface CheckedSkills {
  /** By id. */
  readonly rows: ReadonlyMap<string, SkillRows>;
  /** The revisions that refer to each tree. */
  readonly named: ReadonlyMap<Digest, readonly NamingRevision[]>;
  readonly revisions: number;
}

/** Checks that revision numbers have no gaps and that each current revision exists. */
export async function checkSkills(
  findings: FsckFindings,
  { store }: RegistryContext,
): Promise<CheckedSkills> {
  const rows = new Map<string, SkillRows>();
  const named = new Map<Digest, NamingRevision[]>();
  let count = 0;
  for await (const listed of allSkills(store)) {
    const { skill, revisions } = await readSkill(listed, store);
    count += revisions.length;
    rows.set(skill.id, { skill, trees: new Map(revisions.map((each) => [each.revision, each.treeHash])) });
    checkNumbers(skill, revisions, findings);
    checkPointer(skill, revisions, findings);
    for (const revision of revisions.filter(({ purgedAt }) => purgedAt === undefined)) {
      const naming = named.get(revision.treeHash) ?? [];
      naming.push({ id: skill.id, revision });
      named.set(revision.treeHash, naming);
    }
  }
  return { rows, named, revisions: count };
}

/** Reads a skill and its revisions consistently: reads again until the row stays the same. */
async function readSkill(
  listed: RegisteredSkill,
  reader: RegistryReader,
): Promise<{ readonly skill: RegisteredSkill; readonly revisions: readonly Revision[] }> {
  let skill = listed;
  for (;;) {
    const revisions = await reader.listRevisions(skill.uid);
    const after = (await reader.findSkill(skill.uid)) ?? skill;
    if (isDeepStrictEqual(after, skill)) return { skill, revisions };
    skill = after;
  }
}

function checkNumbers(
  { id, lastRevision }: RegisteredSkill,
  revisions: readonly Revision[],
  findings: FsckFindings,
): void {
  const numbers = new Set(revisions.map(({ revision }) => revision));
  const highest = Math.max(0, ...numbers);
  if (lastRevision !== highest)
    findings.add(
      "LAST_REVISION_WRONG",
      id,
      `The skill counts ${lastRevision} revisions, but the last one is ${highest}.`,
    );
  for (let number = 1; number < highest; number += 1)
    if (!numbers.has(number))
      findings.add("REVISION_MISSING", `${id}@${number}`, "The row of this revision is missing.");
}

function checkPointer(
  { id, revision, status, treeHash }: RegisteredSkill,
  revisions: readonly Revision[],
  findings: FsckFindings,
): void {
  const current = revisions.find((each) => each.revision === revision);
  if (current === undefined)
    findings.add("POINTER_WRONG", id, `The current revision ${revision} is missing.`);
  else if (treeHash !== current.treeHash)
    findings.add("POINTER_WRONG", id, `The tree hash differs from that of revision ${revision}.`);
  else if (current.purgedAt !== undefined && status !== "deleted")
    findings.add("POINTER_WRONG", id, `The bytes of the current revision ${revision} were purged.`);
}
