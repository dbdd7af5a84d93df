import { z } from "zod";
import { Digest, SkillId, Trust } from "./id.ts";
import { ProposalDecision, ProposalKind, ProposalState } from "./proposal.ts";
import { Role, SignInRole } from "./role.ts";

const at = z.iso.datetime();

/** The user, and the agent that acted for them. */
export const Actor = z.object({
  user: z.string().min(1).max(256),
  agent: z.string().min(1).max(256).optional(),
  /** The permissions, derived from the sign-in and never from the request. */
  role: z.enum([...Role.options, "system"]),
});
export type Actor = Readonly<z.infer<typeof Actor>>;

/** Entries of the audit log by number, both ends included. */
const SeqRange = z.object({ first: z.int().min(1), last: z.int().min(1) });

/** The origin of a revision. */
export const Provenance = z.object({
  source: z.enum([
    "folder",
    "archive",
    "seed",
    "import",
    "agent",
    "git",
    "index",
    "registry",
    "url",
    "clawhub",
    "npm",
    "oci",
    "gateway",
    "proposal",
    "promotion",
  ]),
  /** The name of the folder or archive, for people; never a path of the machine. */
  origin: z.string().optional(),
  originUrl: z.string().optional(),
  ref: z.string().optional(),
  /** The digest of the uploaded archive. */
  archiveDigest: Digest.optional(),
  /** The source as `install` reads it, without a version: the same text finds updates. */
  spec: z.string().max(2048).optional(),
  /** The skill's folder in the source. */
  path: z.string().max(4096).optional(),
  /** The commit, and the id of the skill's tree in it. */
  commit: z.string().max(64).optional(),
  subtree: z.string().max(64).optional(),
  /** The host and account that released it. */
  publisher: z.string().max(512).optional(),
  /** The version by which the source knows it. */
  release: z.string().max(256).optional(),
  /** Digests that the source announced and that were checked, by name. */
  digests: z.record(z.string(), z.string().max(512)).optional(),
  verified: z.enum(["none", "digest", "signature"]).optional(),
  /** The principal of the key that signed it. */
  signer: z.string().max(512).optional(),
  /** When this content was first seen here. */
  firstSeen: at.optional(),
  /** The tree hash as the source has it, where local edits were merged into the revision. */
  upstream: Digest.optional(),
  /** The approved proposal that the revision comes from. */
  proposal: z.string().max(64).optional(),
  by: Actor,
  at,
});
export type Provenance = Readonly<z.infer<typeof Provenance>>;

export const Visibility = z.enum(["private", "internal", "public"]);
export type Visibility = z.infer<typeof Visibility>;

export const SkillStatus = z.enum(["active", "archived", "deleted"]);
export type SkillStatus = z.infer<typeof SkillStatus>;

export const GranteeName = z.object({ kind: z.enum(["agent", "user"]), key: z.string().min(1).max(256) });

/** The purpose of a token: programs, a browser session, or a single-use sign-in. */
export const TokenKind = z.enum(["api", "session", "sign-in"]);
export type TokenKind = z.infer<typeof TokenKind>;

/** How a browser session started. */
export const SignInMethod = z.enum(["link", "passkey", "sso"]);
export type SignInMethod = z.infer<typeof SignInMethod>;

/** An Ed25519 public key: its 32 bytes in base64. */
export const AuditKey = z.string().regex(/^ed25519:[A-Za-z0-9+/]{43}=$/);

const about = { at, skill: SkillId, by: Actor };
const ofWorkspace = { at, by: Actor, agent: z.string() };
/** `state` is the state after the event. */
const byProposal = { ...about, proposal: z.string(), hash: Digest, state: ProposalState };

/** Changes of the registry. Each event is written in the transaction of its change. */
export const registryEvents = [
  z.object({
    type: z.literal("skill.published"),
    ...about,
    revision: z.int().min(1),
    hash: Digest,
    skillHash: Digest,
    trust: Trust,
    visibility: Visibility,
    status: SkillStatus,
    provenance: Provenance,
  }),
  z.object({
    type: z.literal("skill.rolled_back"),
    ...about,
    from: z.int().min(1),
    revision: z.int().min(1),
    hash: Digest,
  }),
  z.object({ type: z.literal("skill.deleted"), ...about, revision: z.int().min(1) }),
  z.object({ type: z.literal("skill.restored"), ...about, revision: z.int().min(1) }),
  /** The bytes are deleted permanently; the revision numbers are not reused. */
  z.object({ type: z.literal("skill.purged"), ...about, revisions: z.array(z.int().min(1)).readonly() }),
  z.object({
    type: z.literal("skill.edited"),
    ...about,
    /** The fields that differ from SKILL.md; empty after a reset. */
    fields: z.array(z.enum(["name", "description", "tags", "visibility"])).readonly(),
    visibility: Visibility,
  }),
  z.object({
    type: z.literal("skill.status_changed"),
    ...about,
    status: SkillStatus,
    reason: z.string().optional(),
    /** Missing dependencies, as `pip:name`. */
    missing: z.array(z.string()).readonly(),
  }),
  z.object({
    type: z.literal("skill.toggled"),
    ...about,
    isEnabled: z.boolean(),
    /** Whether the skill is in the registry or in a folder. */
    scope: z.enum(["registry", "folder"]),
  }),
  z.object({
    type: z.literal("grant.given"),
    ...about,
    grantee: GranteeName,
    canManage: z.boolean(),
    pin: z.int().min(1).optional(),
    /** The visibility after the change. */
    visibility: Visibility,
  }),
  /** A grant to another user's agent waits for the consent of that user or an administrator. */
  z.object({
    type: z.literal("grant.requested"),
    ...about,
    grantee: GranteeName,
    canManage: z.boolean(),
    pin: z.int().min(1).optional(),
  }),
  /** The agent's owner declined a pending grant, or a manager of the skill withdrew it. */
  z.object({ type: z.literal("grant.declined"), ...about, grantee: GranteeName }),
  z.object({ type: z.literal("grant.revoked"), ...about, grantee: GranteeName, visibility: Visibility }),
  /** The users who answer approval questions of the skill; empty for its owner and managers. */
  z.object({
    type: z.literal("skill.approvers_changed"),
    ...about,
    approvers: z.array(z.string()).readonly(),
  }),
  z.object({ type: z.literal("agent.added"), at, by: Actor, agent: z.string() }),
  z.object({ type: z.literal("agent.changed"), at, by: Actor, agent: z.string() }),
  z.object({ type: z.literal("agent.removed"), at, by: Actor, agent: z.string() }),
  z.object({
    type: z.literal("token.issued"),
    at,
    by: Actor,
    /** The token id. No event contains the secret or its hash. */
    token: z.string(),
    kind: TokenKind,
    role: Role,
    user: z.string(),
    agent: z.string().optional(),
    expiresAt: at,
    method: SignInMethod.optional(),
  }),
  z.object({ type: z.literal("token.revoked"), at, by: Actor, token: z.string() }),
  z.object({ type: z.literal("passkey.added"), at, by: Actor, user: z.string(), passkey: z.string() }),
  z.object({ type: z.literal("passkey.removed"), at, by: Actor, user: z.string(), passkey: z.string() }),
  /** An identity of a single sign-on provider became a way to sign in as the user. */
  z.object({ type: z.literal("identity.linked"), at, by: Actor, user: z.string(), issuer: z.string() }),
  /** The role for later sign-ins, or whether the user can sign in at all. */
  z.object({
    type: z.literal("user.changed"),
    at,
    by: Actor,
    user: z.string(),
    role: SignInRole.optional(),
    isActive: z.boolean(),
  }),
  /**
   * A key that signs the audit log was added or revoked. A registered key endorses each change, except for the first key
   * and for one that an operator adopted after all keys were lost.
   */
  z.object({
    type: z.literal("audit.key_changed"),
    at,
    by: Actor,
    key: AuditKey,
    change: z.enum(["added", "revoked"]),
    endorsement: z.object({ key: AuditKey, signature: z.string().max(128) }).optional(),
  }),
  /**
   * Old records of use lost their texts. Their numbers and hashes stay, so the log still verifies, and only entries
   * in these ranges may be without a text.
   */
  z.object({
    type: z.literal("audit.pruned"),
    at,
    by: Actor,
    /** Entries older than this were pruned. */
    before: at,
    count: z.int().min(1),
    ranges: z.array(SeqRange).min(1).max(500).readonly(),
  }),
  /** The content guard refused a publish. */
  z.object({
    type: z.literal("guard.blocked"),
    ...about,
    hash: Digest,
    engine: z.string(),
    rules: z.array(z.string()).readonly(),
  }),
  z.object({
    type: z.literal("guard.waived"),
    ...about,
    waiver: z.string(),
    rule: z.string(),
    file: z.string(),
    /** Of the file: another content needs another waiver. */
    contentHash: Digest,
    reason: z.string(),
    expiresAt: at.optional(),
  }),
  z.object({
    type: z.literal("eval.recorded"),
    ...about,
    report: z.string(),
    kind: z.enum(["tasks", "triggers", "offline"]),
    hash: Digest,
    /** Absent for the candidate of a proposal. */
    revision: z.int().min(1).optional(),
  }),
  /** A stored skill has another verdict, by another engine. */
  z.object({
    type: z.literal("guard.rescanned"),
    ...about,
    revision: z.int().min(1),
    hash: Digest,
    engine: z.string(),
    verdict: z.enum(["block", "review", "clean"]),
  }),
  /** An agent became a workspace, or its parent or address changed. */
  z.object({
    type: z.literal("workspace.changed"),
    ...ofWorkspace,
    parent: z.string().optional(),
    url: z.string().optional(),
  }),
  z.object({
    type: z.literal("workspace.card_updated"),
    ...ofWorkspace,
    card: Digest,
    /** The ids of the skills on the card. */
    skills: z.array(z.string()).readonly(),
  }),
  z.object({
    type: z.literal("workspace.status_changed"),
    ...ofWorkspace,
    status: z.enum(["online", "degraded", "offline"]),
  }),
  /** The current task; empty when the workspace is idle. */
  z.object({ type: z.literal("workspace.task_changed"), ...ofWorkspace, task: z.string() }),
  z.object({
    type: z.literal("workspace.activity"),
    ...ofWorkspace,
    activity: z.string(),
    kind: z.string(),
    summary: z.string(),
    /** The other fields of the activity, as JSON. */
    body: z.string(),
  }),
  /** No event contains the signing secret. */
  z.object({
    type: z.literal("webhook.changed"),
    at,
    by: Actor,
    webhook: z.string(),
    name: z.string(),
    change: z.enum(["added", "changed", "enabled", "disabled", "removed"]),
  }),
  /** A change of a skill, or a new skill, waits for a review. `hash` is the proposed content. */
  z.object({
    type: z.literal("proposal.created"),
    ...byProposal,
    kind: ProposalKind,
    base: Digest.optional(),
    session: z.string().optional(),
  }),
  z.object({ type: z.literal("proposal.reviewed"), ...byProposal, decision: ProposalDecision }),
  z.object({ type: z.literal("proposal.withdrawn"), ...byProposal }),
  /** The skill changed since the proposal was made. `current` is absent for a skill that no longer exists. */
  z.object({ type: z.literal("proposal.stale"), ...byProposal, current: Digest.optional() }),
  z.object({ type: z.literal("proposal.rebased"), ...byProposal, base: Digest.optional() }),
  /** The revision is absent for a skill in a folder. */
  z.object({ type: z.literal("proposal.applied"), ...byProposal, revision: z.int().min(1).optional() }),
] as const;
