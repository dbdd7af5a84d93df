import { SkillEvent } from "@skillhold/protocol";
import { CHAIN_START, keyChangeOf } from "@skillhold/registry/audit";
import type { AuditKeyChange, AuditRow, EventQuery, StoredEvent } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { chunks, isStorable, joinSql, pageLimit, sql, toStorable } from "../engine/sql.ts";

/** The number and hash of the last event. */
export type LogEnd = Pick<AuditRow, "seq" | "hash">;

/** The end of an empty log. */
export const logStart: LogEnd = { seq: 0, hash: CHAIN_START };

/** An event with its position in the log. */
export interface LoggedEvent {
  readonly seq: number;
  readonly event: SkillEvent;
  /** The canonical JSON of the event. */
  readonly body: string;
  readonly hash: string;
}

const LastRow = z.object({ seq: z.int() });
export const EventRow = z
  .object({ seq: z.int(), body: z.string() })
  .transform(({ seq, body }): StoredEvent => ({ seq, event: SkillEvent.parse(fromJson(body)) }));
const RawRow = z
  .object({
    seq: z.int(),
    at: z.string(),
    type: z.string(),
    skill: z.string().nullable(),
    session: z.string().nullable(),
    body: z.string(),
    hash: z.string(),
  })
  .transform(
    (row): AuditRow => ({ ...row, skill: row.skill ?? undefined, session: row.session ?? undefined }),
  );

/** The number of the last event; 0 for an empty log. */
export async function lastEvent(db: Queries): Promise<number> {
  return (await db.all(sql`select seq from event order by seq desc limit 1`, LastRow))[0]?.seq ?? 0;
}

/** In commit order. */
export async function eventsAfter(db: Queries, seq: number, limit: number): Promise<readonly StoredEvent[]> {
  return await db.all(
    sql`select seq, body from event where seq > ${seq} order by seq limit ${pageLimit(limit)}`,
    EventRow,
  );
}

/** The raw rows. */
export async function auditAfter(db: Queries, seq: number, limit: number): Promise<readonly AuditRow[]> {
  return await db.all(
    sql`select seq, at, type, skill, session, body, hash from event where seq > ${seq} order by seq limit ${pageLimit(limit)}`,
    RawRow,
  );
}

/** The key changes of the log. The literal in the condition lets both engines use the partial index. */
export async function selectAuditKeys(db: Queries): Promise<readonly AuditKeyChange[]> {
  const query = sql`select seq, body from event where type = 'audit.key_changed' order by seq`;
  const found = await db.all(query, z.object({ seq: z.int(), body: z.string() }));
  return found.flatMap(({ seq, body }) => keyChangeOf(seq, body) ?? []);
}

/** Newest first. */
export async function eventsAbout(
  db: Queries,
  skill: string,
  type: string,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const query = sql`select seq, body from event where skill = ${toStorable(skill)} and type = ${type}
    order by seq desc limit ${limit}`;
  return await db.all(query, EventRow);
}

export async function eventsOfSession(db: Queries, session: string): Promise<readonly StoredEvent[]> {
  const query = sql`select seq, body from event where session = ${toStorable(session)} order by seq`;
  const found = await db.all(query, EventRow);
  // The column may hold replacement characters, so the body is compared.
  return found.filter(({ event }) => "session" in event && event.session === session);
}

export async function insertEvents(tx: Tx, events: readonly LoggedEvent[]): Promise<void> {
  for (const chunk of chunks(events)) {
    const rows = chunk.map(({ seq, event, body, hash: link }) => {
      const { at, type, skill, session } = copiesOf(event);
      return sql`(${seq}, ${at}, ${type}, ${skill ?? null}, ${session ?? null}, ${body}, ${link})`;
    });
    await tx.run(sql`insert into event (seq, at, type, skill, session, body, hash) values ${joinSql(rows)}`);
  }
}

/** The searchable copies of event fields; the event itself is read from its body. */
export function copiesOf(event: SkillEvent): Pick<AuditRow, "at" | "type" | "skill" | "session"> {
  return {
    at: event.at,
    type: event.type,
    skill: "skill" in event ? toStorable(event.skill) : undefined,
    session: "session" in event && event.session !== undefined ? toStorable(event.session) : undefined,
  };
}

/** Events that match a query by their columns. */
export async function selectEvents(db: Queries, query: EventQuery): Promise<readonly StoredEvent[]> {
  const { skill, session, types } = query;
  // A text that cannot be stored matches no row.
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
