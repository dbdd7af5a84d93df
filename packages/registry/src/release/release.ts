import type { DependencyManifest } from "@skillhold/core/dependency";
import type { PublishOptions } from "@skillhold/core/session";
import type { Provenance, Trust, Visibility } from "@skillhold/protocol";
import { isTrustedMore, rejectForeignId, trustOf, visibilityWith } from "../ownership/ownership.ts";
import type { Grant } from "../record/grant.ts";
import type { RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import type { Inspection } from "./inspect-staged.ts";

/** A skill to publish, with everything computed before the transaction. */
export interface ReleaseCandidate {
  readonly staged: StagedSkill;
  readonly options: PublishOptions;
  readonly provenance: Provenance;
  readonly manifest: DependencyManifest;
  readonly missing: readonly string[];
  /** The guard's answer, where a guard is asked. */
  readonly guard?: Inspection | undefined;
  /** The uid to use if the skill is new. */
  readonly uid: string;
}

/** The changes that publishing makes to the store. */
export interface Release {
  readonly before: RegisteredSkill | undefined;
  readonly skill: RegisteredSkill;
  readonly revision: Revision;
  readonly isUnchanged: boolean;
  /** The grants to add and to remove. */
  readonly given: readonly Grant[];
  readonly revoked: readonly Grant[];
  /** The previous current revision if it has the same version with other content. */
  readonly clash: number | undefined;
}

/** Plans the release of a candidate without writing. Throws CONFLICT if the id belongs to someone else. */
export async function planRelease(candidate: ReleaseCandidate, reader: RegistryReader): Promise<Release> {
  const { staged, options, provenance } = candidate;
  const before = await reader.findSkill(staged.id);
  const grants = before === undefined ? [] : await reader.listGrants([before.uid]);
  rejectForeignId(staged.id, before, grants, options.by);
  const current = before === undefined ? undefined : await reader.findRevision(before.uid, before.revision);
  const trust = trustOf(options.by, provenance.source, options.exportedTrust);
  const state = stateOf(candidate, before);
  if (before !== undefined && current !== undefined && isSame(before, current, staged, trust, state))
    return { before, skill: before, revision: current, ...UNCHANGED };
  const number = (before?.lastRevision ?? 0) + 1;
  const given = before === undefined ? await firstGrants(candidate, reader) : [];
  const revoked = before?.status === "deleted" ? grants : [];
  const skill = nextSkill(candidate, before, state, number, given);
  const revision = nextRevision(candidate, skill, trust);
  const { version } = revision;
  const isClash =
    version !== undefined && current?.version === version && current.treeHash !== staged.treeHash;
  const clash = isClash ? current?.revision : undefined;
  return { before, skill, revision, isUnchanged: false, given, revoked, clash };
}

const UNCHANGED = { isUnchanged: true, given: [], revoked: [], clash: undefined } as const;

/**
 * A registered agent may use the new skills that it publishes, also with a publisher's token that acts as the agent. An
 * administrator who publishes through an agent grants it no skill.
 */
async function firstGrants(
  { options: { by, author = by, entry }, provenance, uid }: ReleaseCandidate,
  reader: RegistryReader,
): Promise<readonly Grant[]> {
  const { user, agent: key, role } = author;
  const grant = { skill: uid, canManage: false, pin: undefined, grantedBy: by.user, at: provenance.at };
  if (role === "admin" && entry === "upload") return [{ ...grant, grantee: { kind: "user", key: user } }];
  const isGranted = role === "agent" || role === "publisher";
  const agent = isGranted && key !== undefined ? await reader.findAgent(key) : undefined;
  if (agent === undefined || agent.key !== key || agent.removedAt !== undefined) return [];
  return [{ ...grant, grantee: { kind: "agent", key } }];
}

type State = Pick<RegisteredSkill, "status" | "reason">;

const ACTIVE: State = { status: "active", reason: undefined };

/**
 * An uploaded skill with missing dependencies is archived. A bundled skill keeps its state until it is
 * checked.
 */
function stateOf({ staged, options, missing }: ReleaseCandidate, before: RegisteredSkill | undefined): State {
  if (options.entry === "upload" && missing.length > 0) return { status: "archived", reason: "deps" };
  const isBundled = options.by.role === "system" && before?.treeHash === staged.treeHash;
  return isBundled && before !== undefined ? before : ACTIVE;
}

/** Whether a new revision would change neither bytes nor state nor raise the trust. */
function isSame(
  before: RegisteredSkill,
  current: Revision,
  { treeHash }: StagedSkill,
  trust: Trust,
  { status }: State,
): boolean {
  if (before.treeHash !== treeHash || current.treeHash !== treeHash) return false;
  const isKept = current.purgedAt === undefined && before.status === status;
  return isKept && !isTrustedMore(trust, current.trust);
}

function nextSkill(
  { staged, options, provenance, missing, uid }: ReleaseCandidate,
  before: RegisteredSkill | undefined,
  { status, reason }: State,
  revision: number,
  given: readonly Grant[],
): RegisteredSkill {
  const isSystem = options.by.role === "system";
  return {
    uid: before?.uid ?? uid,
    id: staged.id,
    owner: before?.owner ?? (options.author ?? options.by).user,
    visibility: visibilityOf(options, before, given),
    isSystem,
    isEnabled: before?.isEnabled ?? true,
    status,
    reason,
    missing,
    revision,
    lastRevision: revision,
    treeHash: staged.treeHash,
    override: {},
    createdAt: before?.createdAt ?? provenance.at,
    updatedAt: provenance.at,
    deletedAt: undefined,
  };
}

/** A skill that is published again after deletion does not regain its visibility. */
function visibilityOf(
  { by }: PublishOptions,
  before: RegisteredSkill | undefined,
  given: readonly Grant[],
): Visibility {
  if (by.role === "system") return "public";
  const isKept = before !== undefined && before.status !== "deleted";
  return isKept ? before.visibility : visibilityWith(given.length, "private");
}

function nextRevision(
  { staged, provenance, manifest }: ReleaseCandidate,
  { uid, revision }: RegisteredSkill,
  trust: Trust,
): Revision {
  const { treeHash, skillHash, record, skill, bytes, files } = staged;
  return {
    skill: uid,
    revision,
    treeHash,
    skillHash,
    version: record.version,
    record,
    frontmatter: skill.frontmatter,
    manifest,
    trust,
    provenance,
    bytes,
    files: files.length,
    createdAt: provenance.at,
    purgedAt: undefined,
  };
}
