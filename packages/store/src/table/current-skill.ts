import { Digest, Trust } from "@skillhold/protocol";
import type { CurrentSkill } from "@skillhold/registry/record";
import { z } from "zod";
import { chunks } from "../engine/chunk.ts";
import type { Queries, RowReader } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, sql } from "../engine/sql.ts";
import { SkillColumns, toSkill } from "./skill-table.ts";

/** The skills of these ids, or all, with what counts of them, ordered by id; deleted ones are left out. */
export async function listCurrent(db: Queries, ids?: readonly string[]): Promise<readonly CurrentSkill[]> {
  if (ids === undefined) return await db.all(sql`${current} ${isThere} order by s.id`, currentReader());
  const found: CurrentSkill[] = [];
  // In order, so that the pieces are in order too: both engines compare bytes, and ids are ASCII.
  for (const chunk of chunks([...new Set(ids)].filter(isStorable).sort())) {
    const query = sql`${current} ${isThere} and s.id in (${joinSql(chunk)}) order by s.id`;
    found.push(...(await db.all(query, currentReader())));
  }
  return found;
}

/** Deleted skills whose bytes are there, with what counted of them, ordered by id. */
export async function listDeleted(db: Queries): Promise<readonly CurrentSkill[]> {
  const query = sql`${current} where s.status = 'deleted' and r.purged_at is null order by s.id`;
  return await db.all(query, currentReader());
}

const current = sql`select s.uid, s.id, s.owner, s.visibility, s.is_system, s.is_enabled, s.status, s.reason, s.deps,
  s.revision, s.last_revision, s.tree_hash, s.override, s.created_at, s.updated_at, s.deleted_at,
  r.record, r.trust, r.version, r.skill_hash, r.created_at as released_at
  from skill s join revision r on r.skill = s.uid and r.revision = s.revision`;

const isThere = sql`where s.status <> 'deleted' and s.deleted_at is null`;

const CurrentColumns = SkillColumns.extend({
  record: z.string(),
  trust: Trust,
  version: z.string().nullable(),
  skill_hash: Digest,
  released_at: z.string(),
});
type CurrentColumns = z.infer<typeof CurrentColumns>;

/**
 * A start reads a hundred thousand of these, and checking each in full takes as long as getting them. The engines hold
 * columns to their types; what says who may do what has few values, and a row is checked when it brings a new mix.
 */
function currentReader(): RowReader<CurrentSkill> {
  const mixes = new Set<string>();
  return {
    parse(row) {
      // The query selects these columns, and the engines hold them to their types.
      const columns = row as CurrentColumns;
      const { visibility, status, trust, is_system, is_enabled } = columns;
      const mix = `${visibility} ${status} ${trust} ${is_system} ${is_enabled}`;
      if (!mixes.has(mix)) CurrentColumns.parse(row);
      mixes.add(mix);
      return { skill: toSkill(columns), revision: toRelease(columns) };
    },
  };
}

function toRelease(row: CurrentColumns): CurrentSkill["revision"] {
  return {
    record: fromJson<CurrentSkill["revision"]["record"]>(row.record),
    trust: row.trust,
    version: row.version ?? undefined,
    skillHash: row.skill_hash,
    createdAt: row.released_at,
  };
}
