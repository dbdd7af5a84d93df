import { SkillEvent } from "@skillhold/protocol";
import { CHAIN_START, type EventActor, keyChangeOf, NO_ACTOR, ownActor } from "@skillhold/registry/audit";
import type {
  AgentUses,
  AuditKeyChange,
  AuditRow,
  EventQuery,
  ListedEvent,
  SeqRange,
  StoredEvent,
} from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import {
  isStorable,
  joinSql,
  pageLimit,
  type RowTable,
  type Sql,
  sql,
  timeText,
  toStorable,
} from "../engine/sql.ts";

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
const ListedRow = z
  .object({ seq: z.int(), agent: z.string().nullable(), person: z.string().nullable(), body: z.string() })
  .transform(({ seq, agent, person, body }): ListedEvent => {
    const event = SkillEvent.parse(fromJson(body));
    return { seq, event, ...(agent === null ? {} : { agent }), ...(person === null ? {} : { person }) };
  });
const RawRow = z
  .object({
    seq: z.int(),
    at: z.string(),
    type: z.string(),
    skill: z.string().nullable(),
    session: z.string().nullable(),
    agent: z.string().nullable(),
    person: z.string().nullable(),
    body: z.string(),
    hash: z.string(),
  })
  .transform(
    ({ skill, session, agent, person, ...row }): AuditRow => ({
      ...row,
      skill: skill ?? undefined,
      session: session ?? undefined,
      ...(agent === null ? {} : { agent }),
      ...(person === null ? {} : { person }),
    }),
  );

/** The number of the last event; 0 for an empty log. */
export async function lastEvent(db: Queries): Promise<number> {
  return (await db.all(sql`select seq from event order by seq desc limit 1`, LastRow))[0]?.seq ?? 0;
}

/** In commit order, without pruned entries. */
export async function eventsAfter(db: Queries, seq: number, limit: number): Promise<readonly StoredEvent[]> {
  const query = sql`select seq, body from event where seq > ${seq} and body <> '' order by seq limit ${pageLimit(limit)}`;
  const events = await db.all(query, EventRow);
  const last = events.at(-1)?.seq ?? seq;
  const left = last - seq - events.length;
  // Without this check, a missing row would pass for a pruned one.
  if (left === 0 || (await countPruned(db, seq, last)) !== left) return events;
  return events.map((stored, index) => {
    const pruned = stored.seq - (events[index - 1]?.seq ?? seq) - 1;
    return pruned === 0 ? stored : { ...stored, pruned };
  });
}

async function countPruned(db: Queries, after: number, before: number): Promise<number> {
  const query = sql`select count(*) as entries from event where seq > ${after} and seq < ${before} and body = ''`;
  const [row] = await db.all(query, z.object({ entries: z.coerce.number() }));
  return row?.entries ?? 0;
}

/** The raw rows. */
export async function auditAfter(db: Queries, seq: number, limit: number): Promise<readonly AuditRow[]> {
  return await db.all(
    sql`select seq, at, type, skill, session, agent, person, body, hash from event where seq > ${seq} order by seq limit ${pageLimit(limit)}`,
    RawRow,
  );
}

/** The key changes of the log. The literal in the condition lets both engines use the partial index. */
export async function selectAuditKeys(db: Queries): Promise<readonly AuditKeyChange[]> {
  const query = sql`select seq, body from event where type = 'audit.key_changed' order by seq`;
  const found = await db.all(query, z.object({ seq: z.int(), body: z.string() }));
  return found.flatMap(({ seq, body }) => keyChangeOf(seq, body) ?? []);
}

/** The last entry of the newest record of a pruning. */
export async function selectLastPruned(db: Queries): Promise<number> {
  const query = sql`select seq, body from event where type = 'audit.pruned' order by seq desc limit 1`;
  const [found] = await db.all(query, EventRow);
  return found?.event.type === "audit.pruned" ? (found.event.ranges.at(-1)?.last ?? 0) : 0;
}

/** Empties all columns except for the number and the hash. */
export async function pruneEvents(tx: Tx, ranges: readonly SeqRange[]): Promise<void> {
  for (const { first, last } of ranges)
    await tx.run(sql`update event set at = '', type = '', skill = null, session = null, agent = null,
      person = null, body = ''
      where seq between ${first} and ${last}`);
}

/** Newest first. */
export async function eventsAbout(
  db: Queries,
  skill: string,
  type: string,
  limit: number,
): Promise<readonly StoredEvent[]> {
  return await db.all(queryAbout(skill, type, limit), EventRow);
}

export function queryAbout(skill: string, type: string, limit: number): Sql {
  return sql`select seq, body from event where skill = ${toStorable(skill)} and type = ${type}
    order by seq desc limit ${limit}`;
}

export async function eventsOfSession(db: Queries, session: string): Promise<readonly StoredEvent[]> {
  const query = sql`select seq, body from event where session = ${toStorable(session)} order by seq`;
  const found = await db.all(query, EventRow);
  // The column may hold replacement characters, so the body is compared.
  return found.filter(({ event }) => "session" in event && event.session === session);
}

const eventTable: RowTable = {
  name: "event",
  columns: {
    seq: "int",
    at: "text",
    type: "text",
    skill: "text",
    session: "text",
    agent: "text",
    person: "text",
    body: "text",
    hash: "text",
  },
};

/** An event that names no actor gets that of its session. */
export function insertEvents(
  tx: Tx,
  events: readonly LoggedEvent[],
  actors: ReadonlyMap<string, EventActor>,
): void {
  const rows = events.map(({ seq, event, body, hash }) => {
    const { at, type, skill, session } = copiesOf(event);
    const { agent, person } = ownActor(event) ?? actors.get(session ?? "") ?? NO_ACTOR;
    return { seq, at, type, skill, session, agent, person, body, hash };
  });
  tx.insert(eventTable, rows);
}

/** Contract: called once per event, in the order of the log. */
export class SessionActors {
  readonly #openers = new Map<string, EventActor>();

  actorOf(event: SkillEvent): EventActor {
    const found = ownActor(event);
    if (found === undefined) return this.#openers.get(copiesOf(event).session ?? "") ?? NO_ACTOR;
    if (event.type === "session.opened") this.#openers.set(toStorable(event.session), found);
    return found;
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
export async function selectEvents(db: Queries, query: EventQuery): Promise<readonly ListedEvent[]> {
  const { skill, managedBy, session, agent, person, types } = query;
  // A text that cannot be stored matches no row.
  const names = [skill, managedBy, session, agent, person, ...(types ?? [])];
  if (!names.every((name) => name === undefined || isStorable(name))) return [];
  if (types?.length === 0) return [];
  const range = await seqRange(db, query);
  if (range === undefined) return [];
  const columns = [
    ...(skill === undefined ? [] : [sql`skill = ${skill}`]),
    ...(managedBy === undefined ? [] : [isManagedBy(managedBy)]),
    ...(session === undefined ? [] : [sql`session = ${session}`]),
    ...(agent === undefined ? [] : [sql`agent = ${agent}`]),
    ...(person === undefined ? [] : [sql`person = ${person}`]),
  ];
  const order = query.order === "newest" ? sql`order by seq desc` : sql`order by seq`;
  const end = sql`${order} limit ${pageLimit(query.limit)}`;
  const where = joinSql([...range, ...columns, sql`body <> ''`], " and ");
  if (types === undefined)
    return await db.all(sql`select seq, agent, person, body from event where ${where} ${end}`, ListedRow);
  if (columns.length > 0 && agent === undefined)
    return await db.all(
      sql`select seq, agent, person, body from event where ${where} and type in (${joinSql(types)}) ${end}`,
      ListedRow,
    );
  // One walk over the index per type: a single condition would sort all events of these types, or read all of the agent.
  const branches = types.map(
    (type) =>
      sql`select * from (select seq, agent, person, body from event where type = ${type} and ${where} ${end}) as part`,
  );
  return await db.all(sql`${joinSql(branches, " union all ")} ${end}`, ListedRow);
}

function isManagedBy(user: string): Sql {
  return sql`skill in (select id from skill where owner = ${user} and is_system = 0 union
    select id from skill where is_system = 0 and uid in
      (select skill from skill_grant where kind = 'user' and key = ${user} and can_manage = 1))`;
}

const RangeRow = z.object({ first: z.int().nullable(), last: z.int().nullable() });

/** The conditions on the number and the time; undefined if no event has such a time. */
async function seqRange(
  db: Queries,
  { after = 0, before = Number.MAX_SAFE_INTEGER, from, to }: EventQuery,
): Promise<readonly Sql[] | undefined> {
  if (from === undefined && to === undefined) return [sql`seq > ${after}`, sql`seq < ${before}`];
  const [start, end] = [timeText(from ?? FIRST_TIME), timeText(to ?? LAST_TIME)];
  // Clocks of several gateways differ, so that times do not strictly follow the numbers.
  const query = sql`select min(seq) as first, max(seq) as last from event where at >= ${start} and at < ${end}`;
  const { first, last } = (await db.all(query, RangeRow))[0] ?? { first: null, last: null };
  if (first === null || last === null) return undefined;
  const [low, high] = [Math.max(after, first - 1), Math.min(before, last + 1)];
  // Negated, so that SQLite walks the events by number and does not sort a long period.
  return [sql`seq > ${low}`, sql`seq < ${high}`, sql`not (at < ${start})`, sql`not (at >= ${end})`];
}

const FIRST_TIME = "0000-01-01T00:00:00.000Z";
const LAST_TIME = "9999-12-31T23:59:59.999Z";

const UsesRow = z.object({ agent: z.string(), skill: z.string(), count: z.coerce.number().pipe(z.int()) });

/** By agent and skill. */
export async function countUses(db: Queries, from: string): Promise<readonly AgentUses[]> {
  return await db.all(
    sql`select agent, skill, count(*) as count from event
      where at >= ${timeText(from)} and agent is not null and skill is not null
      and type in ('skill.activated', 'skill.script_executed', 'skill.tool_called')
      group by agent, skill order by agent, skill`,
    UsesRow,
  );
}
