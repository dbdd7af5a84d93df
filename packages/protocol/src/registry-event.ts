import { z } from "zod";
import { Digest, SkillId, Trust } from "./id.ts";
import { Role } from "./role.ts";

const at = z.iso.datetime();

/** Who did it: a person, and the agent that did it for them. */
export const Actor = z.object({
  user: z.string().min(1).max(256),
  agent: z.string().min(1).max(256).optional(),
  /** What they may do; it comes from how they signed in, never from what they say. */
  role: z.enum([...Role.options, "system"]),
});
export type Actor = Readonly<z.infer<typeof Actor>>;

/** Where a revision came from. */
export const Provenance = z.object({
  source: z.enum(["folder", "archive", "seed", "import", "agent", "git", "index", "registry"]),
  /** For people: the folder's or archive's name, never a path of the machine. */
  origin: z.string().optional(),
  originUrl: z.string().optional(),
  ref: z.string().optional(),
  /** Of the archive as it came. */
  archiveDigest: Digest.optional(),
  by: Actor,
  at,
});
export type Provenance = Readonly<z.infer<typeof Provenance>>;

export const Visibility = z.enum(["private", "internal", "public"]);
export type Visibility = z.infer<typeof Visibility>;

export const SkillStatus = z.enum(["active", "archived", "deleted"]);
export type SkillStatus = z.infer<typeof SkillStatus>;

export const GranteeName = z.object({ kind: z.enum(["agent", "user"]), key: z.string().min(1).max(256) });

/** What a token is for: programs, a browser after its user signed in, and the sign-in itself, which is for one use. */
export const TokenKind = z.enum(["api", "session", "sign-in"]);
export type TokenKind = z.infer<typeof TokenKind>;

const about = { at, skill: SkillId, by: Actor };

/** What changes the registry. Each is written in the transaction that makes the change. */
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
  /** Bytes are gone for good; the numbers of the revisions stay taken. */
  z.object({ type: z.literal("skill.purged"), ...about, revisions: z.array(z.int().min(1)).readonly() }),
  z.object({
    type: z.literal("skill.edited"),
    ...about,
    /** The fields that differ now from what SKILL.md says; empty when they were reset. */
    fields: z.array(z.enum(["name", "description", "tags", "visibility"])).readonly(),
    visibility: Visibility,
  }),
  z.object({
    type: z.literal("skill.status_changed"),
    ...about,
    status: SkillStatus,
    reason: z.string().optional(),
    /** What it misses, as `pip:name`. */
    missing: z.array(z.string()).readonly(),
  }),
  z.object({
    type: z.literal("skill.toggled"),
    ...about,
    isEnabled: z.boolean(),
    /** Where the skill is. */
    scope: z.enum(["registry", "folder"]),
  }),
  z.object({
    type: z.literal("grant.given"),
    ...about,
    grantee: GranteeName,
    canManage: z.boolean(),
    pin: z.int().min(1).optional(),
    /** What the skill's is from now on. */
    visibility: Visibility,
  }),
  z.object({ type: z.literal("grant.revoked"), ...about, grantee: GranteeName, visibility: Visibility }),
  z.object({ type: z.literal("agent.added"), at, by: Actor, agent: z.string() }),
  z.object({ type: z.literal("agent.changed"), at, by: Actor, agent: z.string() }),
  z.object({ type: z.literal("agent.removed"), at, by: Actor, agent: z.string() }),
  z.object({
    type: z.literal("token.issued"),
    at,
    by: Actor,
    /** Its id: what is secret of it, and the hash of that, are in no event. */
    token: z.string(),
    kind: TokenKind,
    role: Role,
    user: z.string(),
    agent: z.string().optional(),
    expiresAt: at,
  }),
  z.object({ type: z.literal("token.revoked"), at, by: Actor, token: z.string() }),
] as const;
