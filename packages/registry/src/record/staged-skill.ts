import type { Omission } from "@skillhold/core/bundle";
import type { SkillRecord } from "@skillhold/core/source";
import type { Diagnostic, Digest, SkillId } from "@skillhold/protocol";
import type { ParsedSkill } from "@skillhold/skill";
import type { TreeFile } from "./registered-skill.ts";

/** A skill that is ready to publish: all of its bytes, read at one moment, and their parsed form. */
export interface StagedSkill {
  readonly id: SkillId;
  readonly skill: ParsedSkill;
  readonly record: SkillRecord;
  readonly treeHash: Digest;
  readonly skillHash: Digest;
  readonly files: readonly StagedFile[];
  readonly bytes: number;
  /** The entries of the folder that are not in the bundle. */
  readonly omitted: readonly Omission[];
  /** Diagnostics of the `publish` profile, without errors. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface StagedFile extends TreeFile {
  readonly content: Uint8Array;
}
