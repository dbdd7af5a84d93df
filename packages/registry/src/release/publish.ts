import { basename } from "node:path";
import type { DependencyManifest, ScanCall } from "@skillhold/core/dependency";
import type { Published, PublishOptions } from "@skillhold/core/session";
import type { Diagnostic, Provenance, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { GUARD_ENGINE } from "@skillhold/skill/guard";
import { grantGiven, grantRevoked } from "../ownership/access-event.ts";
import { rejectForeignId, takenId } from "../ownership/ownership.ts";
import type { Blob } from "../record/blob-store.ts";
import { agentLock, skillLock, treeLock, UNNAMED_BLOBS } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import { guardWarnings, inspectStaged, judgeReport } from "./inspect-staged.ts";
import { outdateProposals } from "./outdated-proposal.ts";
import { planRelease, type Release, type ReleaseCandidate } from "./release.ts";
import { invalidSkill, type StageOptions, stageFolder } from "./stage.ts";
import { listChanges } from "./tree-change.ts";

export type PublishFolderOptions = PublishOptions & Pick<StageOptions, "within" | "roots" | "allowHardLinks">;

/** Publishes the skill in a folder. It becomes visible only when all of it is durable. */
export async function publishFolder(
  folder: string,
  options: PublishFolderOptions,
  context: RegistryContext,
): Promise<Published> {
  const staged = await stageFolder(folder, options, context.limits);
  const provenance = { origin: basename(folder), ...options.provenance };
  return await publishStaged(staged, { ...options, provenance }, context);
}

/**
 * A change that belongs to a release. Called with the skill locked, before anything is written; returns the events that
 * follow those of the release. Throws to cancel the release.
 */
export type JoinedChange = (release: Release, tx: RegistryTransaction) => Promise<readonly SkillEvent[]>;

/** Publishes a staged skill: first the blobs, then the revision, pointer and event in one transaction. */
export async function publishStaged(
  staged: StagedSkill,
  options: PublishOptions,
  context: RegistryContext,
  join?: JoinedChange,
): Promise<Published> {
  const { store, hooks = {} } = context;
  if (options.by.role === "viewer") throw viewerRefused();
  const before = await rejectTaken(staged.id, options, context);
  const diagnostics = [...staged.diagnostics, ...((await hooks.guard?.(staged)) ?? [])];
  if (diagnostics.some(({ severity }) => severity === "error")) throw invalidSkill(diagnostics);
  const unchanged = await findUnchanged(staged, before, diagnostics, options, context);
  if (unchanged !== undefined) return unchanged;
  const guard = await inspectStaged(staged, options, context);
  const manifest = await scanStaged(staged, options, context);
  const missing = (await hooks.missing?.(staged, manifest)) ?? [];
  const candidate = { ...makeCandidate(staged, options, context), manifest, missing, guard };
  rejectAborted(options.signal);
  // A new skill has no older version; the transaction plans again in any case.
  const isPlanned = options.dryRun === true || before !== undefined;
  const plan = isPlanned ? await planRelease(candidate, store) : undefined;
  const older = plan && (await findSameVersion(plan, context));
  const isDryRun = options.dryRun === true && plan !== undefined;
  const release = isDryRun ? plan : await commit(candidate, context, join);
  const published = describe(release, candidate, diagnostics, older);
  const changes = isDryRun ? await findChanges(plan, staged, context) : undefined;
  return changes === undefined ? published : { ...published, changes };
}

/**
 * The result for content that is already current; undefined if it must be published. The stored scans of the content are
 * used, because scanning is most of the cost.
 */
async function findUnchanged(
  staged: StagedSkill,
  before: RegisteredSkill | undefined,
  diagnostics: readonly Diagnostic[],
  options: PublishOptions,
  context: RegistryContext,
): Promise<Published | undefined> {
  const { store, hooks = {} } = context;
  if (before === undefined || before.treeHash !== staged.treeHash) return undefined;
  const current = await store.findRevision(before.uid, before.revision);
  const found = hooks.inspect && (await store.findGuardReport(staged.treeHash));
  const isScanned = hooks.inspect === undefined || found?.engine === GUARD_ENGINE;
  if (current?.treeHash !== staged.treeHash || !isScanned) return undefined;
  const { manifest } = current;
  const missing = (await hooks.missing?.(staged, manifest)) ?? [];
  const guard = found && (await judgeReport(found, staged, options, context));
  const candidate = { ...makeCandidate(staged, options, context), manifest, missing, guard };
  rejectAborted(options.signal);
  const plan = await planRelease(candidate, store);
  const digests = staged.files.map(({ digest }) => digest);
  // Publishing again also restores lost bytes.
  if (!plan.isUnchanged || (await store.blobs.missing(digests)).length > 0) return undefined;
  return describe(plan, candidate, diagnostics, undefined);
}

/**
 * Comes before every check of the content: those use the waivers and reports of the existing skill, so their results would
 * reveal more than that the id is taken. Returns the existing skill.
 */
async function rejectTaken(
  id: string,
  { by, mayReplace }: PublishOptions,
  { store }: RegistryContext,
): Promise<RegisteredSkill | undefined> {
  const before = await store.findSkill(id);
  if (before === undefined) return undefined;
  rejectForeignId(id, before, await store.listGrants([before.uid]), by);
  if (mayReplace !== undefined && !(await mayReplace(id))) throw takenId(id);
  return before;
}

function makeCandidate(
  staged: StagedSkill,
  options: PublishOptions,
  { clock, ids }: RegistryContext,
): Omit<ReleaseCandidate, "manifest" | "missing" | "guard"> {
  const { by } = options;
  if (by.role === "viewer") throw viewerRefused();
  const sources = { system: "seed", agent: "agent", admin: "folder", publisher: "folder" } as const;
  const provenance: Provenance = {
    source: sources[by.role],
    ...options.provenance,
    by,
    at: clock.now().toISOString(),
  };
  return { staged, options, provenance, uid: ids.next() };
}

function viewerRefused(): SkillError {
  return new SkillError("POLICY_DENIED", "Viewers cannot publish.", {
    hint: "Ask an administrator for the publisher role.",
  });
}

function rejectAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new SkillError("INTERRUPTED", "Publishing was canceled.", {
      cause: signal.reason,
    });
}

/** Undefined for a new, deleted or purged skill, which has no content to compare with. */
async function findChanges(
  { before, isUnchanged }: Release,
  { files }: StagedSkill,
  { store }: RegistryContext,
): Promise<Published["changes"]> {
  if (before?.treeHash === undefined || before.status === "deleted" || isUnchanged) return undefined;
  const tree = await store.findTree(before.treeHash);
  return tree === undefined ? undefined : listChanges(tree, files);
}

/** An older revision with the same version and other content, for a warning. */
async function findSameVersion(plan: Release, { store }: RegistryContext): Promise<number | undefined> {
  const { before, revision } = plan;
  if (plan.isUnchanged || before === undefined || revision.version === undefined) return undefined;
  const all = await store.listRevisions(before.uid);
  return all.find((each) => each.version === revision.version && each.treeHash !== revision.treeHash)
    ?.revision;
}

/** How often blobs are put again if a sweep with a wrong clock removes them before they are referenced. */
const PUTS = 5;

async function commit(
  candidate: ReleaseCandidate,
  { store }: RegistryContext,
  join: JoinedChange = async () => [],
): Promise<Release> {
  const blobs = blobsOf(candidate.staged);
  const digests = blobs.map(({ digest }) => digest);
  for (let puts = 0; puts < PUTS; puts += 1) {
    await store.blobs.put(blobs, "staged");
    const release = await store.transaction(async (tx) => {
      const { agent } = candidate.options.by;
      // Statements that start together run in this order, in one round trip.
      const locks = [
        ...(agent === undefined ? [] : [tx.lock(agentLock(agent))]),
        tx.lock(skillLock(candidate.staged.id)),
        tx.lock(treeLock(candidate.staged.treeHash)),
        // Until the transaction ends, no sweep removes blobs.
        tx.lock(UNNAMED_BLOBS, "shared"),
      ];
      const [missing, planned] = await Promise.all([
        tx.blobs.missing(digests),
        planRelease(candidate, tx),
        ...locks,
      ]);
      if (missing.length > 0) return undefined;
      if (!planned.isUnchanged) await write(planned, candidate, await join(planned, tx), tx);
      // A canceled publisher must not publish.
      rejectAborted(candidate.options.signal);
      return planned;
    });
    if (release !== undefined) return release;
  }
  throw new SkillError(
    "STORE_FAILED",
    `The store lost the bytes of ${candidate.staged.id} ${PUTS} times while they were being published.`,
    {
      hint: "Find the program that removes them, for example a sweep on a machine whose clock is hours ahead.",
      details: { id: candidate.staged.id },
    },
  );
}

function blobsOf({ files }: StagedSkill): readonly Blob[] {
  const blobs = new Map(files.map(({ digest, content }) => [digest, { digest, bytes: content }]));
  return [...blobs.values()];
}

async function write(
  { before, skill, revision, given, revoked }: Release,
  { staged, options: { by, author = by }, guard }: ReleaseCandidate,
  joined: readonly SkillEvent[],
  tx: RegistryTransaction,
): Promise<void> {
  const { treeHash, files } = staged;
  const { createdAt } = revision;
  const isNewOwner = before === undefined && by.role !== "system";
  const tree = files.map(({ path, size, digest, executable }) => ({ path, size, digest, executable }));
  // One round trip, in this order.
  const [stale] = await Promise.all([
    outdateProposals(skill, { by, at: createdAt }, tx),
    guard === undefined ? undefined : tx.putGuardReport(treeHash, guard.found, createdAt),
    tx.putTree(treeHash, tree),
    tx.putSkill(skill),
    tx.insertRevision(revision),
    isNewOwner ? tx.putUser({ name: author.user, displayName: undefined, createdAt }) : undefined,
  ]);
  for (const grant of given) await tx.putGrant(grant);
  for (const { grantee } of revoked) await tx.removeGrant(skill.uid, grantee);
  const event: SkillEvent = {
    type: "skill.published",
    at: revision.createdAt,
    skill: skill.id,
    by,
    revision: revision.revision,
    hash: treeHash,
    skillHash: revision.skillHash,
    trust: revision.trust,
    visibility: skill.visibility,
    status: skill.status,
    provenance: revision.provenance,
  };
  const about = { at: revision.createdAt, skill, by };
  await tx.appendAll([
    event,
    ...given.map((grant) => grantGiven(grant, about)),
    ...revoked.map(({ grantee }) => grantRevoked(grantee, about)),
    ...joined,
    ...stale,
  ]);
}

function describe(
  { before, skill, revision, isUnchanged, clash, given }: Release,
  { staged, options, missing, guard }: ReleaseCandidate,
  diagnostics: readonly Diagnostic[],
  older: number | undefined,
): Published {
  const isDryRun = options.dryRun === true;
  const same = clash ?? (isUnchanged ? undefined : older);
  return {
    id: skill.id,
    uid: isDryRun ? before?.uid : skill.uid,
    revision: revision.revision,
    status: isUnchanged ? "unchanged" : "published",
    isNew: before === undefined,
    isDryRun,
    version: revision.version,
    treeHash: staged.treeHash,
    skillHash: staged.skillHash,
    trust: revision.trust,
    visibility: skill.visibility,
    ...(given.length === 0 ? {} : { granted: given.map(({ grantee }) => grantee) }),
    state: skill.status,
    bytes: staged.bytes,
    files: staged.files.length,
    omitted: staged.omitted,
    diagnostics,
    warnings: [
      ...(same === undefined
        ? []
        : [`Version ${revision.version} is already used by revision ${same} with other content.`]),
      ...(missing.length === 0
        ? []
        : [`These dependencies are missing on this machine: ${missing.join(", ")}.`]),
      ...(guard === undefined ? [] : guardWarnings(guard)),
    ],
    missing,
    ...(guard === undefined ? {} : { guard: { verdict: guard.report.verdict, widened: guard.diff.widened } }),
  };
}

/** The dependencies of a skill that is about to be stored. */
export async function scanStaged(
  { id, files }: StagedSkill,
  { signal }: Pick<ScanCall, "signal">,
  { scan }: Pick<RegistryContext, "scan">,
): Promise<DependencyManifest> {
  const scanned = files.map(({ path, content }) => ({ path, bytes: content }));
  return await scan(scanned, { name: id, signal });
}
