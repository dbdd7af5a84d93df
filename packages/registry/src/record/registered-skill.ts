import type { DependencyManifest } from "@skillhold/core/dependency";
import type { SkillRecord } from "@skillhold/core/source";
import type {
  Digest,
  Provenance,
  SkillEntry,
  SkillId,
  SkillStatus,
  Trust,
  Visibility,
} from "@skillhold/protocol";
import type { FrontmatterMap } from "@skillhold/skill";

/** A skill as the registry keeps it: who it belongs to, what state it is in, and which revision counts. */
export interface RegisteredSkill {
  /** A UUID: what routes and grants may name it by, beside the id. */
  readonly uid: string;
  readonly id: SkillId;
  readonly owner: string;
  readonly visibility: Visibility;
  readonly isSystem: boolean;
  readonly isEnabled: boolean;
  readonly status: SkillStatus;
  /** Why it is not active: `deps`, or the words of the one who archived it. */
  readonly reason: string | undefined;
  /** What it misses on this machine, as `pip:name`. */
  readonly missing: readonly string[];
  /** The revision that counts. */
  readonly revision: number;
  /** The highest number ever given; none is given twice. */
  readonly lastRevision: number;
  /** Of the revision that counts; undefined for a row that came without one, which seeding fills in. */
  readonly treeHash: Digest | undefined;
  readonly override: SkillOverride;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | undefined;
}

/** What an administrator says in place of SKILL.md, until the next revision. */
export interface SkillOverride {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

/** One release of a skill. Nothing in it ever changes, but that its bytes may be purged. */
export interface Revision {
  /** The skill's uid. */
  readonly skill: string;
  readonly revision: number;
  readonly treeHash: Digest;
  readonly skillHash: Digest;
  /** The author's. */
  readonly version: string | undefined;
  /** What an index keeps of its SKILL.md. */
  readonly record: SkillRecord;
  readonly frontmatter: FrontmatterMap;
  readonly manifest: DependencyManifest;
  /** What it is trusted with, from who published it and how. */
  readonly trust: Trust;
  readonly provenance: Provenance;
  readonly bytes: number;
  readonly files: number;
  readonly createdAt: string;
  /** When its bytes were given up. */
  readonly purgedAt: string | undefined;
}

/** A file of a revision, as its tree lists it. */
export interface TreeFile {
  readonly path: string;
  readonly size: number;
  readonly digest: Digest;
  readonly executable: boolean;
}

/** What a library needs of a skill: its row and the record of the revision that counts. */
export interface CurrentSkill {
  readonly skill: RegisteredSkill;
  readonly revision: Pick<Revision, "record" | "trust" | "version" | "skillHash" | "createdAt">;
}

/** The words of SKILL.md, or what stands in their place. */
export function shownFields(record: SkillRecord, override: SkillOverride): ShownFields {
  const { name, description, tags } = record;
  return { name, description, tags, ...override };
}

export type ShownFields = Pick<SkillEntry, "name" | "description" | "tags">;
