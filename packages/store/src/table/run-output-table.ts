import type { RunOutput } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { sql, toStorable } from "../engine/sql.ts";

const MOST_PRUNED = 100;

const OutputRow = z
  .object({ run: z.string(), session: z.string(), at: z.string(), body: z.string() })
  .transform(({ body, ...row }): RunOutput => ({ ...row, ...fromJson<Texts>(body) }));

type Texts = Pick<RunOutput, "input" | "stdout" | "stderr" | "result">;

/** In order of time. */
export async function selectRunOutputs(db: Queries, session: string): Promise<readonly RunOutput[]> {
  return await db.all(
    sql`select run, session, at, body from run_output where session = ${toStorable(session)} order by at, run`,
    OutputRow,
  );
}

export async function putRunOutput(tx: Tx, { run, session, at, ...texts }: RunOutput): Promise<void> {
  const body = JSON.stringify(texts, (_, value) => (typeof value === "string" ? toStorable(value) : value));
  await tx.run(sql`insert into run_output (run, session, at, body)
    values (${toStorable(run)}, ${toStorable(session)}, ${at}, ${body}) on conflict (run) do nothing`);
}

/** Deletes outputs that are older than `before`, a bounded number per call. Returns how many. */
export async function deleteRunOutputs(tx: Tx, before: string): Promise<number> {
  return await tx.run(sql`delete from run_output where run in
    (select run from run_output where at < ${before} order by at limit ${MOST_PRUNED})`);
}
