import type { SkillEntry, Trust } from "@skillhold/protocol";
import { type Host, readinessOf } from "@skillhold/skill";
import type { SkillRecord } from "./record.ts";

/** Where a skill was found. */
export interface Discovery {
  /** Made with `folderId`. */
  readonly id: string;
  readonly source: string;
  readonly trust: Trust;
  readonly path: string;
  /** `SKILL.md` or `skill.md`. */
  readonly file: string;
  readonly mtimeMs: number;
}

/** The entry of a skill: what its file says, where it was found, and what the host makes of it. */
export function toEntry(record: SkillRecord, found: Discovery, host: Host): SkillEntry {
  const { os, isValid: _, ...said } = record;
  const { id, source, trust, path, file, mtimeMs } = found;
  return {
    ...said,
    // `folderId` gives nothing but ids.
    id: id as SkillEntry["id"],
    source,
    trust,
    path,
    ...(file === "SKILL.md" ? {} : { file }),
    lastModified: new Date(mtimeMs).toISOString(),
    // JSON's types are those of frontmatter.
    metadata: said.metadata as SkillEntry["metadata"],
    readiness: readinessOf({ requires: said.requires, os }, host, id),
  };
}
