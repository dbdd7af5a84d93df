import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { chunks, isStorable, joinSql, sql } from "../engine/sql.ts";

const ApproverRow = z.object({ account: z.string() });

/** The named approvers of a skill, ordered by name. */
export async function selectApprovers(db: Queries, uid: string): Promise<readonly string[]> {
  if (!isStorable(uid)) return [];
  const query = sql`select account from skill_approver where skill = ${uid} order by account`;
  return (await db.all(query, ApproverRow)).map(({ account }) => account);
}

/** Replaces the named approvers of a skill. */
export async function putApprovers(tx: Tx, uid: string, users: readonly string[]): Promise<void> {
  await tx.run(sql`delete from skill_approver where skill = ${uid}`);
  for (const chunk of chunks(users)) {
    const rows = chunk.map((user) => sql`(${uid}, ${user})`);
    await tx.run(sql`insert into skill_approver (skill, account) values ${joinSql(rows)}`);
  }
}
