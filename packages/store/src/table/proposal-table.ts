import type { Proposal, ProposalQuery } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, pageLimit, type Sql, sql, timeText } from "../engine/sql.ts";

const columns = sql`id, skill, state, account, agent, session, candidate, created_at, updated_at, body`;

const ProposalRow = z.object({ body: z.string() }).transform((row): Proposal => fromJson<Proposal>(row.body));

export async function selectProposal(db: Queries, id: string): Promise<Proposal | undefined> {
  if (!isStorable(id)) return undefined;
  return (await db.all(sql`select body from proposal where id = ${id}`, ProposalRow))[0];
}

/** Newest first. */
export async function selectProposals(db: Queries, query: ProposalQuery): Promise<readonly Proposal[]> {
  const { states, skill, session, candidate, after } = query;
  const texts = [skill ?? "", session ?? "", candidate ?? "", after?.id ?? ""];
  if (states?.length === 0 || !texts.every(isStorable)) return [];
  const conditions: readonly Sql[] = [
    ...(states === undefined ? [] : [sql`state in (${joinSql(states)})`]),
    ...(skill === undefined ? [] : [sql`skill = ${skill}`]),
    ...(session === undefined ? [] : [sql`session = ${session}`]),
    ...(candidate === undefined ? [] : [sql`candidate = ${candidate}`]),
    ...(after === undefined ? [] : [sql`(created_at, id) < (${timeText(after.createdAt)}, ${after.id})`]),
  ];
  const where = conditions.length === 0 ? sql`` : sql`where ${joinSql(conditions, " and ")}`;
  const order = sql`order by created_at desc, id desc limit ${pageLimit(query.limit)}`;
  return await db.all(sql`select body from proposal ${where} ${order}`, ProposalRow);
}

/** Inserts the proposal or replaces the one with its id. */
export async function putProposal(tx: Tx, proposal: Proposal): Promise<void> {
  const { id, skill, state, author, session = null, generations, createdAt, updatedAt } = proposal;
  const candidate = generations.at(-1)?.candidate ?? null;
  const times = [timeText(createdAt), timeText(updatedAt)];
  const body = JSON.stringify(proposal);
  const values = [id, skill, state, author.user, author.agent ?? null, session, candidate, ...times, body];
  await tx.run(sql`insert into proposal (${columns}) values (${joinSql(values)})
    on conflict (id) do update set state = excluded.state, candidate = excluded.candidate,
      updated_at = excluded.updated_at, body = excluded.body`);
}
