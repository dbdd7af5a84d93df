import { randomUUID } from "node:crypto";
import { chainHash, emptyFrontier } from "@skillhold/registry/audit";
import type { AuditHead } from "@skillhold/registry/record";
import { z } from "zod";
import type { Tx } from "../engine/db.ts";
import { sql, toStorable } from "../engine/sql.ts";
import { insertHead } from "./audit-head-table.ts";
import { advance } from "./event-log.ts";
import { logStart } from "./event-table.ts";

const PAGE = 1000;
const LinkRow = z.object({ seq: z.int(), body: z.string(), hash: z.string() });

/**
 * Gives a log its first head, and its events the sessions that their bodies name. The head ends before the first event
 * that does not follow from the one before: such a log can be read and checked, and takes no more.
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

function sessionOf(body: string): string | undefined {
  try {
    return z.object({ session: z.string().optional() }).parse(JSON.parse(body)).session;
  } catch {
    // Damaged: checking the log tells of it.
    return undefined;
  }
}
