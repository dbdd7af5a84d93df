import { join } from "node:path";
import type { SkillEntry } from "@skillhold/protocol";
import { type Host, readinessOf } from "../skill/index.ts";
import type { ScanRow } from "./scan-row.ts";
import type { Source } from "./source.ts";

/** The entry of a scanned skill: what its file says, where it was found, and what the host makes of it. */
export function toEntry(id: string, row: ScanRow, root: string, source: Source, host: Host): SkillEntry {
  const { os, isValid: _, ...record } = row.record;
  return {
    ...record,
    // The caller made the id with `folderId`, which gives nothing but ids.
    id: id as SkillEntry["id"],
    source: source.label,
    trust: source.trust,
    path: row.path === "." ? root : join(root, row.path),
    ...(row.file === "SKILL.md" ? {} : { file: row.file }),
    lastModified: new Date(row.mtimeMs).toISOString(),
    // JSON's types are those of frontmatter.
    metadata: record.metadata as SkillEntry["metadata"],
    readiness: readinessOf({ requires: record.requires, os }, host),
  };
}
