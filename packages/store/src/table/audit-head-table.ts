import { SkillError } from "@skillhold/protocol/error";
import { isWhole } from "@skillhold/registry/audit";
import type { AuditHead } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { sql } from "../engine/sql.ts";
import { type LogEnd, logStart } from "./event-table.ts";

const Roots = z.array(z.string().regex(/^[0-9a-f]{64}$/)).readonly();

const HeadColumns = z.object({
  // Must be a single line, because it is a line of the checkpoint.
  origin: z.string().regex(/^skillhold\/[0-9a-f-]{36}$/),
  seq: z.int().min(0),
  hash: z.string(),
  roots: z.string(),
  note: z.string().nullable(),
});
const HeadRow = HeadColumns.transform(toHead);
const EndRow = HeadColumns.extend({
  last_seq: z.int().nullable(),
  last_hash: z.string().nullable(),
}).transform((row) => ({
  head: toHead(row),
  last: { seq: row.last_seq ?? logStart.seq, hash: row.last_hash ?? logStart.hash },
}));

/** The state of the log; undefined for an empty log. */
export async function selectHead(db: Queries): Promise<AuditHead | undefined> {
  const [head] = await db.all(sql`select origin, seq, hash, roots, note from audit_head`, HeadRow);
  return head?.seq === 0 ? undefined : head;
}

/** The end of the log according to the head, even if the rest of the head is damaged. */
export async function selectEnd(db: Queries): Promise<LogEnd> {
  const [end] = await db.all(
    sql`select seq, hash from audit_head`,
    z.object({ seq: z.int(), hash: z.string() }),
  );
  return end ?? logStart;
}

/**
 * The head to append to. Throws if it does not match the last event: one of the two was changed, and
 * appending would hide that.
 */
export async function requireHead(tx: Tx): Promise<AuditHead> {
  const query = sql`select h.origin, h.seq, h.hash, h.roots, h.note, e.seq as last_seq, e.hash as last_hash
    from audit_head h left join event e on e.seq = (select max(seq) from event)`;
  const [end] = await tx.all(query, EndRow);
  if (end === undefined) throw brokenLog("The audit log has no head.", {});
  const { head, last } = end;
  const isFitting = head.seq === last.seq && head.hash === last.hash && isWhole(head.frontier);
  if (!isFitting) {
    throw brokenLog("The audit log does not end as its head says.", { head: head.seq, last: last.seq });
  }
  return head;
}

export async function insertHead(tx: Tx, { origin, seq, hash, frontier, note }: AuditHead): Promise<void> {
  await tx.run(sql`insert into audit_head (id, origin, seq, hash, roots, note)
    values (1, ${origin}, ${seq}, ${hash}, ${JSON.stringify(frontier.roots)}, ${note ?? null})`);
}

export function updateHead(tx: Tx, { seq, hash, frontier, note }: AuditHead): void {
  tx.send(sql`update audit_head set seq = ${seq}, hash = ${hash},
    roots = ${JSON.stringify(frontier.roots)}, note = ${note ?? null}`);
}

function toHead({ origin, seq, hash, roots, note }: z.infer<typeof HeadColumns>): AuditHead {
  const frontier = { size: seq, roots: Roots.parse(fromJson(roots)) };
  return { origin, seq, hash, frontier, note: note ?? undefined };
}

function brokenLog(message: string, details: Readonly<Record<string, unknown>>): SkillError {
  return new SkillError("INTEGRITY_FAILED", message, {
    hint: "Run `skillhold audit verify` to find the change. The log accepts no new events until it is repaired.",
    details,
  });
}
