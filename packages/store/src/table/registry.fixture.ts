import { hash } from "node:crypto";
import { type Actor, Digest, SkillEvent, SkillId } from "@skillhold/protocol";
import type { AgentRecord, Grant, RegisteredSkill, Revision, TreeFile } from "@skillhold/registry/record";
import type { StoredToken } from "@skillhold/registry/token";

export const at = "2026-01-01T00:00:00.000Z";
const by: Actor = { user: "ann", role: "admin" };

export function digest(content: string | Uint8Array): Digest {
  return Digest.parse(`sha256:${hash("sha256", content, "hex")}`);
}

export function skill(id: string, fields: Partial<RegisteredSkill> = {}): RegisteredSkill {
  return {
    uid: `uid-${id}`,
    id: SkillId.parse(id),
    owner: "ann",
    visibility: "private",
    isSystem: false,
    isEnabled: true,
    status: "active",
    reason: undefined,
    missing: [],
    revision: 1,
    lastRevision: 1,
    treeHash: digest(id),
    override: {},
    createdAt: at,
    updatedAt: at,
    deletedAt: undefined,
    ...fields,
  };
}

export function revision(id: string, number = 1, fields: Partial<Revision> = {}): Revision {
  return {
    skill: `uid-${id}`,
    revision: number,
    treeHash: digest(`${id} ${number}`),
    skillHash: digest(`${id} ${number} SKILL.md`),
    version: "1.0.0",
    record: record(id),
    frontmatter: { name: id, description: `Does ${id}.` },
    manifest: { dependencies: [], notes: [] },
    trust: "user",
    provenance: { source: "folder", by, at },
    bytes: 100,
    files: 1,
    createdAt: at,
    purgedAt: undefined,
    ...fields,
  };
}

export function record(id: string, fields: Partial<Revision["record"]> = {}): Revision["record"] {
  return {
    name: id,
    description: `Does ${id}.`,
    skillHash: digest(`${id} SKILL.md`),
    type: "context",
    isValid: true,
    diagnostics: [],
    bodyTokens: 10,
    runtime: [],
    tags: ["a"],
    requires: { env: [], bins: [], anyBins: [], config: [] },
    requiresSkills: [],
    os: [],
    invocation: { model: true, user: true },
    metadata: {},
    ...fields,
  };
}

export function deleted(id: string, number = 1): SkillEvent {
  return SkillEvent.parse({ type: "skill.deleted", at, skill: id, by, revision: number });
}

export function treeFile(path: string, fields: Partial<TreeFile> = {}): TreeFile {
  return { path, size: path.length, digest: digest(path), executable: false, ...fields };
}

export function inSession(session: string, task = "none"): SkillEvent {
  return SkillEvent.parse({ type: "session.closed", at, session, task });
}

export function agent(key: string, fields: Partial<AgentRecord> = {}): AgentRecord {
  return {
    uid: `uid-${key}`,
    key,
    displayName: `Agent ${key}`,
    runtime: "skillhold",
    allow: undefined,
    pins: {},
    manifest: undefined,
    owner: "ann",
    createdAt: at,
    updatedAt: at,
    removedAt: undefined,
    ...fields,
  };
}

export function grant(id: string, key: string, fields: Partial<Grant> = {}): Grant {
  return {
    skill: `uid-${id}`,
    grantee: { kind: "agent", key },
    canManage: false,
    pin: undefined,
    grantedBy: "ann",
    at,
    ...fields,
  };
}

/** A token that is valid for a year, with a hash derived from its id. */
export function token(id: string, fields: Partial<StoredToken> = {}): StoredToken {
  return {
    id,
    kind: "api",
    name: `For ${id}`,
    role: "publisher",
    user: "ann",
    agent: undefined,
    hash: hash("sha256", id, "hex"),
    createdBy: "ann",
    createdAt: at,
    expiresAt: "2027-01-01T00:00:00.000Z",
    revokedAt: undefined,
    lastUsedAt: undefined,
    ...fields,
  };
}
