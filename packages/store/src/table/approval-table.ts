import type { Approval } from "@skillhold/core/approval";
import { Digest, SkillId } from "@skillhold/protocol";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, sql, timeText } from "../engine/sql.ts";

const columns = sql`id, key, skill, tree_hash, act, target, covers, approver, at, expires_at`;

/** Validated on read, because an approval lets code run. */
const ApprovalRow = z
  .object({
    id: z.string(),
    key: Digest,
    skill: SkillId,
    tree_hash: Digest,
    act: z.enum(["run_script", "call_tool", "shell_in_prompt", "install", "use_tool"]),
    target: z.string(),
    covers: z.string(),
    approver: z.string(),
    at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .transform(
    ({ tree_hash: treeHash, approver: by, expires_at: expiresAt, covers, ...row }): Approval => ({
      ...row,
      ...fromJson<Pick<Approval, "requester" | "widen">>(covers),
      treeHash,
      by,
      expiresAt,
    }),
  );

/**
 * The most that the clocks of a store's users may differ. A later approval was given before a clock was set
 * back.
 */
const TOLERANCE_MS = 60_000;

export async function selectApproval(db: Queries, key: Digest, now: Date): Promise<Approval | undefined> {
  if (!isStorable(key)) return undefined;
  const query = sql`select ${columns} from approval where key = ${key} and ${isValid(now)}`;
  return (await db.all(query, ApprovalRow))[0];
}

/** Oldest first. */
export async function selectApprovals(db: Queries, now: Date): Promise<readonly Approval[]> {
  const query = sql`select ${columns} from approval where ${isValid(now)} order by at, id`;
  return await db.all(query, ApprovalRow);
}

/** Replaces the approval with the same key. */
export async function putApproval(tx: Tx, approval: Approval): Promise<void> {
  const { id, key, skill, treeHash, act, target, requester, widen, by, at, expiresAt } = approval;
  const covers = JSON.stringify({ requester, widen });
  const values = [id, key, skill, treeHash, act, target, covers, by, timeText(at), timeText(expiresAt)];
  await tx.run(sql`insert into approval (${columns}) values (${joinSql(values)})
    on conflict (key) do update set id = excluded.id, skill = excluded.skill, tree_hash = excluded.tree_hash,
      act = excluded.act, target = excluded.target, covers = excluded.covers, approver = excluded.approver, at = excluded.at,
      expires_at = excluded.expires_at`);
}

/** Returns whether the approval existed. */
export async function removeApproval(tx: Tx, id: string): Promise<boolean> {
  if (!isStorable(id)) return false;
  return (await tx.run(sql`delete from approval where id = ${id}`)) > 0;
}

function isValid(now: Date) {
  const latest = new Date(now.getTime() + TOLERANCE_MS);
  return sql`expires_at > ${timeText(now)} and at <= ${timeText(latest)}`;
}
