import type { SkillEntry, Trust } from "@skillhold/protocol";
import { type Host, readinessOf } from "@skillhold/skill";
import type { SkillRecord } from "./record.ts";

/** The location of a skill. */
export interface Discovery {
  /** Contract: made with `folderId`. */
  readonly id: string;
  readonly source: string;
  readonly trust: Trust;
  readonly path: string;
  /** `SKILL.md` as it is spelled in the folder, or `tools` for a folder with only tools. */
  readonly file: string;
  readonly mtimeMs: number;
}

/** The entry of a skill, from its file, its location and the host. */
export function toEntry(record: SkillRecord, found: Discovery, host: Host): SkillEntry {
  const { os, isValid: _, ...said } = record;
  const { id, source, trust, path, file, mtimeMs } = found;
  return {
    ...said,
    // `folderId` returns only valid ids.
    id: id as SkillEntry["id"],
    source,
    trust,
    path,
    ...(file === "SKILL.md" ? {} : { file }),
    lastModified: new Date(mtimeMs).toISOString(),
    // Frontmatter has only JSON types.
    metadata: said.metadata as SkillEntry["metadata"],
    readiness: readinessOf({ requires: said.requires, os }, host, id),
  };
}
