import { isDeepStrictEqual } from "node:util";
import type { Digest } from "@skillhold/protocol";
import type { RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import { allSkills } from "../release/sweep.ts";
import type { FsckFindings } from "./fsck-finding.ts";

/** What the rows of a skill say, for the steps that follow. */
export interface SkillRows {
  readonly skill: RegisteredSkill;
  /** The trees of its revisions by number. */
  readonly trees: ReadonlyMap<number, Digest>;
}

/** A revision that has to have its bytes. */
export interface NamingRevision {
  readonly id: string;
  readonly revision: Revision;
}

export interface CheckedSkills {
  /** By id. */
  readonly rows: ReadonlyMap<string, SkillRows>;
  /** Which revisions name a tree. */
  readonly named: ReadonlyMap<Digest, readonly NamingRevision[]>;
  readonly revisions: number;
}

/** Checks that numbers are whole and that each pointer points to a revision that is there. */
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

/** A skill and its revisions of one moment: the row is read again until nobody has changed it in between. */
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
      `It counts ${lastRevision} revisions, and the last is ${highest}.`,
    );
  for (let number = 1; number < highest; number += 1)
    if (!numbers.has(number)) findings.add("REVISION_MISSING", `${id}@${number}`, "Its row is missing.");
}

function checkPointer(
  { id, revision, status, treeHash }: RegisteredSkill,
  revisions: readonly Revision[],
  findings: FsckFindings,
): void {
  const current = revisions.find((each) => each.revision === revision);
  if (current === undefined)
    findings.add("POINTER_WRONG", id, `It points to revision ${revision}, which is missing.`);
  else if (treeHash !== current.treeHash)
    findings.add("POINTER_WRONG", id, `Its tree is not that of revision ${revision}.`);
  else if (current.purgedAt !== undefined && status !== "deleted")
    findings.add("POINTER_WRONG", id, `It points to revision ${revision}, whose bytes were purged.`);
}
