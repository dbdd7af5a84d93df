import { type Actor, type Digest, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { GuardFile } from "@skillhold/skill/guard";
import {
  applyWaivers,
  type CapabilityDiff,
  diffManifests,
  emptyManifest,
  GUARD_ENGINE,
  type GuardReport,
  type GuardScan,
  type GuardVerdict,
  unwaivableRules,
  type Waiver,
} from "@skillhold/skill/guard";
import { getManaged } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { getRevision, getSkill, revisionFiles } from "./revisions.ts";

/** The guard's report on a revision with the waivers that cover it now. A revision that was never scanned is scanned. */
export async function getGuardReport(
  idOrUid: string,
  revision: number | undefined,
  context: RegistryContext,
  scan: GuardScan,
): Promise<GuardReport> {
  const skill = await getSkill(idOrUid, context);
  const number = revision ?? skill.revision;
  const { treeHash } = await getRevision(idOrUid, number, context);
  const known = await context.store.findGuardReport(treeHash);
  const report = known ?? (await scanRevision(skill, number, context, scan));
  const waivers = await context.store.listWaivers(skill.id);
  return applyWaivers(report, waivers, context.clock.now().toISOString());
}

/** What revision `to` can do that `from` cannot, and the reverse. Without `from`, everything is widened. */
export async function capabilityDiff(
  idOrUid: string,
  from: number | undefined,
  to: number | undefined,
  context: RegistryContext,
  scan: GuardScan,
): Promise<CapabilityDiff> {
  const after = await getGuardReport(idOrUid, to, context, scan);
  const before = from === undefined ? undefined : await getGuardReport(idOrUid, from, context, scan);
  return diffManifests(before?.manifest ?? emptyManifest(GUARD_ENGINE), after.manifest);
}

export interface WaiveOptions {
  readonly by: Actor;
  readonly ruleId: string;
  readonly file: string;
  /** The digest of the file whose finding is accepted. */
  readonly contentHash: string;
  readonly reason: string;
  readonly expires?: string | undefined;
}

/** Accepts a finding in one content of one file. Only administrators may; the log keeps who and why. */
export async function waiveFinding(
  idOrUid: string,
  options: WaiveOptions,
  { store, clock, ids }: RegistryContext,
): Promise<Waiver> {
  const { by, ruleId, file, reason, expires } = options;
  if (by.role !== "admin" || by.agent !== undefined)
    throw new SkillError("FORBIDDEN", "Only a person who is an administrator can waive a finding.");
  if (unwaivableRules.has(ruleId))
    throw new SkillError("USAGE", `Findings of the rule ${ruleId} cannot be waived.`);
  if (reason.trim() === "") throw new SkillError("USAGE", "A waiver needs a reason.");
  const now = clock.now();
  if (expires !== undefined && !(Date.parse(expires) > now.getTime()))
    throw new SkillError("USAGE", `The waiver would expire at ${expires}, which is not in the future.`);
  const contentHash = options.contentHash as Digest;
  if (!/^sha256:[0-9a-f]{64}$/.test(contentHash))
    throw new SkillError("USAGE", `${JSON.stringify(contentHash.slice(0, 80))} is not a SHA-256 digest.`);
  const waiver: Waiver = {
    id: ids.next(),
    ruleId,
    file,
    contentHash,
    reason,
    by: by.user,
    at: now.toISOString(),
    expires,
  };
  await store.transaction(async (tx) => {
    // A skill that was blocked at its first publish is not there yet.
    const isKnown = (await tx.findSkill(idOrUid)) !== undefined;
    const id = isKnown ? (await getManaged(idOrUid, by, tx)).id : readId(idOrUid);
    await tx.putWaiver(id, waiver);
    await tx.append({
      type: "guard.waived",
      at: waiver.at,
      skill: id,
      by,
      waiver: waiver.id,
      rule: ruleId,
      file,
      contentHash,
      reason,
      ...(expires === undefined ? {} : { expiresAt: expires }),
    });
  });
  return waiver;
}

function readId(text: string): SkillId {
  const id = SkillId.safeParse(text);
  if (id.success) return id.data;
  throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${JSON.stringify(text.slice(0, 80))}.`);
}

export interface RescanResult {
  readonly skill: string;
  readonly revision: number;
  readonly before: GuardVerdict | undefined;
  readonly verdict: GuardVerdict;
}

/** Scans the current revision of every skill whose report is of another engine, or of all with `force`. */
export async function rescanSkills(
  {
    by,
    force = false,
    signal,
  }: { readonly by: Actor; readonly force?: boolean; readonly signal?: AbortSignal | undefined },
  context: RegistryContext,
  scan: GuardScan,
): Promise<readonly RescanResult[]> {
  const results: RescanResult[] = [];
  for (const skill of await context.store.listSkills()) {
    signal?.throwIfAborted();
    if (skill.status === "deleted" || skill.treeHash === undefined) continue;
    const known = await context.store.findGuardReport(skill.treeHash);
    if (known?.engine === GUARD_ENGINE && !force) continue;
    const { treeHash } = skill;
    const report = await scanRevision(skill, skill.revision, context, scan);
    const at = context.clock.now().toISOString();
    const waivers = await context.store.listWaivers(skill.id);
    const { verdict } = applyWaivers(report, waivers, at);
    const before = known === undefined ? undefined : applyWaivers(known, waivers, at).verdict;
    await context.store.transaction(async (tx) => {
      await tx.putGuardReport(treeHash, report, at);
      await tx.append({
        type: "guard.rescanned",
        at,
        skill: skill.id,
        by,
        revision: skill.revision,
        hash: treeHash,
        engine: report.engine,
        verdict,
      });
    });
    results.push({ skill: skill.id, revision: skill.revision, before, verdict });
  }
  return results;
}

async function scanRevision(
  skill: Pick<RegisteredSkill, "id">,
  revision: number,
  context: RegistryContext,
  scan: GuardScan,
): Promise<GuardReport> {
  const files: GuardFile[] = [];
  for (const { path, digest } of await revisionFiles(skill.id, revision, context))
    files.push({ path, bytes: await context.store.blobs.get(digest) });
  return await scan(files, { name: skill.id });
}
