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

/** A skill as stored: its owner, its state and its current revision. */
export interface RegisteredSkill {
  /** A UUID. Routes and grants accept it in place of the id. */
  readonly uid: string;
  readonly id: SkillId;
  readonly owner: string;
  readonly visibility: Visibility;
  readonly isSystem: boolean;
  readonly isEnabled: boolean;
  readonly status: SkillStatus;
  /** Why the skill is not active: `deps`, or the reason given when it was archived. */
  readonly reason: string | undefined;
  /** Dependencies that are missing on this machine, as `pip:name`. */
  readonly missing: readonly string[];
  /** The current revision. */
  readonly revision: number;
  /** The highest revision number so far; numbers are never reused. */
  readonly lastRevision: number;
  /**
   * The tree hash of the current revision. Undefined for a row that was stored without one; seeding fills it
   * in.
   */
  readonly treeHash: Digest | undefined;
  readonly override: SkillOverride;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | undefined;
}

/** Fields that an administrator set in place of those in SKILL.md, until the next revision. */
export interface SkillOverride {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

/** One release of a skill. Immutable, except that its bytes may be purged. */
export interface Revision {
  /** The skill's uid. */
  readonly skill: string;
  readonly revision: number;
  readonly treeHash: Digest;
  readonly skillHash: Digest;
  /** The author's version. */
  readonly version: string | undefined;
  /** The indexed fields of SKILL.md. */
  readonly record: SkillRecord;
  readonly frontmatter: FrontmatterMap;
  readonly manifest: DependencyManifest;
  /** The trust level, derived from the publisher and the source. */
  readonly trust: Trust;
  readonly provenance: Provenance;
  readonly bytes: number;
  readonly files: number;
  readonly createdAt: string;
  /** When the bytes were purged. */
  readonly purgedAt: string | undefined;
}

/** A file of a revision, as listed in its tree. */
export interface TreeFile {
  readonly path: string;
  readonly size: number;
  readonly digest: Digest;
  readonly executable: boolean;
}

/** The row of a skill with the record of its current revision, as a library needs it. */
export interface CurrentSkill {
  readonly skill: RegisteredSkill;
  readonly revision: Pick<Revision, "record" | "trust" | "version" | "skillHash" | "createdAt">;
}

/** The fields of SKILL.md with the overrides applied. */
export function shownFields(record: SkillRecord, override: SkillOverride): ShownFields {
  const { name, description, tags } = record;
  return { name, description, tags, ...override };
}

export type ShownFields = Pick<SkillEntry, "name" | "description" | "tags">;
