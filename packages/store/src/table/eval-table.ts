import { Digest } from "@skillhold/protocol";
import type { EvalReportBody, EvalSummary } from "@skillhold/protocol/http";
import type { EvalPage, EvalResult } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, sql, toStorable } from "../engine/sql.ts";

const EvalRow = z
  .object({
    id: z.string(),
    skill: z.string(),
    tree_hash: Digest,
    added_at: z.string(),
    added_by: z.string(),
    summary: z.string(),
    report: z.string(),
  })
  .transform(
    (row): EvalResult => ({
      id: row.id,
      skill: row.skill,
      treeHash: row.tree_hash,
      addedAt: row.added_at,
      by: row.added_by,
      summary: fromJson<EvalSummary>(row.summary),
      report: fromJson<EvalReportBody>(row.report),
    }),
  );

const HeadRow = z
  .object({ id: z.string(), added_at: z.string(), summary: z.string() })
  .transform((row) => ({ id: row.id, addedAt: row.added_at, summary: fromJson<EvalSummary>(row.summary) }));

export async function selectEval(db: Queries, id: string): Promise<EvalResult | undefined> {
  if (!isStorable(id)) return undefined;
  return (
    await db.all(
      sql`select id, skill, tree_hash, added_at, added_by, summary, report from eval_result where id = ${id}`,
      EvalRow,
    )
  )[0];
}

/** The newest first. */
export async function selectEvals(db: Queries, uid: string, { after, treeHash, limit }: EvalPage) {
  const filters = [
    sql`skill = ${uid}`,
    ...(treeHash === undefined ? [] : [sql`tree_hash = ${treeHash}`]),
    ...(after === undefined
      ? []
      : [sql`(added_at < ${after.addedAt} or (added_at = ${after.addedAt} and id < ${after.id}))`]),
  ];
  return await db.all(
    sql`select id, added_at, summary from eval_result where ${joinSql(filters, " and ")}
      order by added_at desc, id desc limit ${limit}`,
    HeadRow,
  );
}

export async function selectSameEval(
  db: Queries,
  uid: string,
  report: EvalReportBody,
): Promise<EvalResult | undefined> {
  return (
    await db.all(
      sql`select id, skill, tree_hash, added_at, added_by, summary, report from eval_result
        where skill = ${uid} and tree_hash = ${report.treeHash} and report = ${serialize(report)} limit 1`,
      EvalRow,
    )
  )[0];
}

export async function putEval(tx: Tx, result: EvalResult): Promise<void> {
  await tx.run(sql`insert into eval_result (id, skill, tree_hash, added_at, added_by, summary, report)
    values (${result.id}, ${result.skill}, ${result.treeHash}, ${result.addedAt}, ${result.by},
      ${toStorable(JSON.stringify(result.summary))}, ${serialize(result.report)})`);
}

/** Keeps the newest results of a skill. */
export async function trimEvals(tx: Tx, uid: string, keep: number): Promise<void> {
  await tx.run(sql`delete from eval_result where skill = ${uid} and id not in (
    select id from eval_result where skill = ${uid} order by added_at desc, id desc limit ${keep})`);
}

export async function removeEvals(tx: Tx, uid: string, treeHash: string): Promise<void> {
  await tx.run(sql`delete from eval_result where skill = ${uid} and tree_hash = ${treeHash}`);
}

function serialize(report: EvalReportBody): string {
  return toStorable(JSON.stringify(report));
}
