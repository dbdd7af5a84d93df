import type { SkillEntry, Trust } from "@skillhold/protocol";
import { type Host, readinessOf } from "@skillhold/skill";
import { factsOf, type RecordFacts, type SkillRecord, usual } from "./record.ts";

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
export function toEntry(record: SkillRecord, { mtimeMs, ...found }: Discovery, host: Host): SkillEntry {
  return makeEntry(factsOf(record), { ...found, lastModified: timeText(mtimeMs) }, host);
}

/** The same from the facts of the record. */
export function makeEntry(
  facts: RecordFacts,
  found: Omit<Discovery, "mtimeMs"> & Pick<SkillEntry, "lastModified">,
  host: Host,
): SkillEntry {
  // By number, because destructuring a list calls its iterator.
  const others = facts[4];
  const requires = others?.requires ?? usual.requires;
  const entry: SkillEntry = {
    // `folderId` returns only valid ids.
    id: found.id as SkillEntry["id"],
    name: facts[0],
    description: facts[1],
    source: found.source,
    trust: found.trust,
    path: found.path,
    skillHash: facts[2],
    lastModified: found.lastModified,
    type: usual.type,
    tags: usual.tags,
    runtime: usual.runtime,
    requires,
    requiresSkills: usual.requiresSkills,
    invocation: usual.invocation,
    bodyTokens: facts[3],
    metadata: usual.metadata as SkillEntry["metadata"],
    readiness: readinessOf({ requires, os: facts[5] ?? usual.os }, host, found.id),
    diagnostics: usual.diagnostics,
  };
  const file = found.file === "SKILL.md" ? undefined : { file: found.file };
  // A new object is completed in place, because copies of all fields were most of the time of a list.
  return others === undefined && file === undefined ? entry : Object.assign(entry, others, file);
}

/** The last time that an ISO date writes with four digits for the year. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time as text of 24 characters. Some disks keep times that no date has; the closest one replaces them. */
export function timeText(ms: number): string {
  return new Date(Math.max(0, Math.min(ms, LATEST_MS))).toISOString();
}
