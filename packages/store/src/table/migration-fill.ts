import { randomUUID } from "node:crypto";
import { SkillEvent } from "@skillhold/protocol";
import { chainHash, type EventActor, emptyFrontier } from "@skillhold/registry/audit";
import type { AuditHead } from "@skillhold/registry/record";
import { z } from "zod";
import type { Tx } from "../engine/db.ts";
import { joinSql, sql, toStorable } from "../engine/sql.ts";
import { insertHead } from "./audit-head-table.ts";
import { advance } from "./event-log.ts";
import { logStart, SessionActors } from "./event-table.ts";

const PAGE = 1000;
const LinkRow = z.object({ seq: z.int(), body: z.string(), hash: z.string() });

/**
 * Creates the first head of a log and fills the session column. The head ends before the first event that
 * breaks the chain; such a log can be read and verified but not extended.
 */
export async function makeHead(tx: Tx): Promise<void> {
  let head: AuditHead = {
    origin: `skillhold/${randomUUID()}`,
    ...logStart,
    frontier: emptyFrontier,
    note: undefined,
  };
  let isWhole = true;
  for (let seq = 0; ; ) {
    const query = sql`select seq, body, hash from event where seq > ${seq} order by seq limit ${PAGE}`;
    const page = await tx.all(query, LinkRow);
    for (const link of page) {
      isWhole &&= link.seq === head.seq + 1 && link.hash === chainHash(head.hash, link.body);
      if (isWhole) head = advance(head, link.hash);
      await nameSession(tx, link);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    seq = last.seq;
  }
  await insertHead(tx, head);
}

async function nameSession(tx: Tx, { seq, body }: z.infer<typeof LinkRow>): Promise<void> {
  const session = sessionOf(body);
  if (session === undefined) return;
  await tx.run(sql`update event set session = ${toStorable(session)} where seq = ${seq}`);
}

/** Fills the columns of agents and people. */
export async function nameActors(tx: Tx): Promise<void> {
  const actors = new SessionActors();
  for (let seq = 0; ; ) {
    const query = sql`select seq, body from event where seq > ${seq} order by seq limit ${PAGE}`;
    const page = await tx.all(query, LinkRow.omit({ hash: true }));
    const groups = new Map<string, { readonly actor: EventActor; readonly seqs: number[] }>();
    for (const row of page) {
      const event = eventIn(row.body);
      if (event === undefined) continue;
      const actor = actors.actorOf(event);
      const key = JSON.stringify([actor.agent, actor.person]);
      const group = groups.get(key) ?? { actor, seqs: [] };
      group.seqs.push(row.seq);
      groups.set(key, group);
    }
    for (const { actor, seqs } of groups.values())
      if (actor.agent !== null || actor.person !== null)
        await tx.run(
          sql`update event set agent = ${actor.agent}, person = ${actor.person} where seq in (${joinSql(seqs)})`,
        );
    const last = page.at(-1);
    if (last === undefined) break;
    seq = last.seq;
  }
}

/** Undefined for a damaged body, which log verification reports. */
function eventIn(body: string): SkillEvent | undefined {
  try {
    return SkillEvent.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function sessionOf(body: string): string | undefined {
  try {
    return z.object({ session: z.string().optional() }).parse(JSON.parse(body)).session;
  } catch {
    // A damaged body is reported by log verification.
    return undefined;
  }
}
