import type { Digest } from "@skillhold/protocol";
import type { GuardReport, Waiver } from "@skillhold/skill/guard";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, sql, toStorable } from "../engine/sql.ts";

const ReportRow = z
  .object({ report: z.string() })
  .transform((row): GuardReport => fromJson<GuardReport>(row.report));

const WaiverRow = z
  .object({
    id: z.string(),
    rule: z.string(),
    file: z.string(),
    content_hash: z.string(),
    reason: z.string(),
    waived_by: z.string(),
    at: z.string(),
    expires_at: z.string().nullable(),
  })
  .transform(
    (row): Waiver => ({
      id: row.id,
      ruleId: row.rule,
      file: row.file,
      contentHash: row.content_hash,
      reason: row.reason,
      by: row.waived_by,
      at: row.at,
      expires: row.expires_at ?? undefined,
    }),
  );

export async function findGuardReport(db: Queries, hash: Digest): Promise<GuardReport | undefined> {
  if (!isStorable(hash)) return undefined;
  return (await db.all(sql`select report from guard_report where tree_hash = ${hash}`, ReportRow))[0];
}

export async function putGuardReport(tx: Tx, hash: Digest, report: GuardReport, at: string): Promise<void> {
  await tx.run(sql`insert into guard_report (tree_hash, engine, verdict, report, at)
    values (${hash}, ${report.engine}, ${report.verdict}, ${JSON.stringify(report)}, ${at})
    on conflict (tree_hash) do update set engine = excluded.engine, verdict = excluded.verdict,
      report = excluded.report, at = excluded.at`);
}

/** The oldest first. */
export async function listWaivers(db: Queries, skill: string): Promise<readonly Waiver[]> {
  if (!isStorable(skill)) return [];
  return await db.all(
    sql`select id, rule, file, content_hash, reason, waived_by, at, expires_at from guard_waiver
      where skill = ${skill} order by at, id`,
    WaiverRow,
  );
}

export async function putWaiver(tx: Tx, skill: string, waiver: Waiver): Promise<void> {
  await tx.run(sql`insert into guard_waiver (id, skill, rule, file, content_hash, reason, waived_by, at, expires_at)
    values (${waiver.id}, ${skill}, ${waiver.ruleId}, ${toStorable(waiver.file)}, ${waiver.contentHash},
      ${toStorable(waiver.reason)}, ${waiver.by}, ${waiver.at}, ${waiver.expires ?? null})`);
}
