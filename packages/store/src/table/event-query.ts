import type { EventQuery, StoredEvent } from "@skillhold/registry/record";
import type { Queries } from "../engine/db.ts";
import { isStorable, joinSql, sql } from "../engine/sql.ts";
import { EventRow } from "./event-table.ts";
import { pageLimit } from "./page-limit.ts";

/** Events by what columns have of them; what a column has only nearly is compared again by the whole name. */
export async function listEvents(db: Queries, query: EventQuery): Promise<readonly StoredEvent[]> {
  const { skill, session, types } = query;
  // What cannot be stored was never stored.
  if (![skill, session, ...(types ?? [])].every((name) => name === undefined || isStorable(name))) return [];
  if (types?.length === 0) return [];
  const where = sql`where seq > ${query.after ?? 0} and seq < ${query.before ?? Number.MAX_SAFE_INTEGER}`;
  const bySkill = skill === undefined ? sql`` : sql` and skill = ${skill}`;
  const bySession = session === undefined ? sql`` : sql` and session = ${session}`;
  const byType = types === undefined ? sql`` : sql` and type in (${joinSql(types)})`;
  const order = query.order === "newest" ? sql`order by seq desc` : sql`order by seq`;
  return await db.all(
    sql`select seq, body from event ${where}${bySkill}${bySession}${byType} ${order} limit ${pageLimit(query.limit)}`,
    EventRow,
  );
}
