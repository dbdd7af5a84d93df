import { recordSkill, type SkillRecord } from "@skillhold/core/source";
import type { SkillId } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import { findSkillFiles, type ParsedSkill, skillType } from "@skillhold/skill";

/** The SKILL.md of a bundle. */
export function findSkillFile<File extends { readonly path: string }>(
  files: readonly File[],
): File | undefined {
  const [name] = findSkillFiles(files.map(({ path }) => path));
  return name === undefined ? undefined : files.find(({ path }) => path === name);
}

/**
 * The indexed fields of a SKILL.md. Depends only on the id and the bundle, so that it can be rebuilt from
 * stored bytes.
 */
export function describeSkill(
  id: SkillId,
  skill: ParsedSkill,
  bytes: Uint8Array,
  paths: Iterable<string>,
  limits: Limits,
): SkillRecord {
  return recordSkill({ skill, subject: { folder: id }, bytes }, skillType(paths, true), limits);
}
