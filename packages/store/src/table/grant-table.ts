import type { Grant, Grantee, GrantPage, PendingGrant, PendingGrantQuery } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { chunks, isStorable, joinSql, pageLimit, sql } from "../engine/sql.ts";

const columns = sql`skill, kind, key, can_manage, pin, granted_by, at`;

const GrantRow = z
  .object({
    skill: z.string(),
    kind: z.enum(["agent", "user"]),
    key: z.string(),
    can_manage: z.literal([0, 1]),
    pin: z.int().min(1).nullable(),
    granted_by: z.string(),
    at: z.string(),
  })
  .transform(
    (row): Grant => ({
      skill: row.skill,
      grantee: { kind: row.kind, key: row.key },
      canManage: row.can_manage === 1,
      pin: row.pin ?? undefined,
      grantedBy: row.granted_by,
      at: row.at,
    }),
  );

/** The grants of the skills with these uids, or all grants, ordered by skill, kind and key. */
export async function selectGrants(db: Queries, uids?: readonly string[]): Promise<readonly Grant[]> {
  const order = sql`order by skill, kind, key`;
  if (uids === undefined) return await db.all(sql`select ${columns} from skill_grant ${order}`, GrantRow);
  const found: Grant[] = [];
  // Sorted, so that the chunks are in order: both engines compare bytes, and uids are ASCII.
  for (const chunk of chunks([...new Set(uids)].filter(isStorable).sort())) {
    const query = sql`select ${columns} from skill_grant where skill in (${joinSql(chunk)}) ${order}`;
    for (const grant of await db.all(query, GrantRow)) found.push(grant);
  }
  return found;
}

/** One page of a skill's grants, ordered by kind and key. */
export async function selectGrantPage(
  db: Queries,
  uid: string,
  { after, limit }: GrantPage,
): Promise<readonly Grant[]> {
  if (!isStorable(uid)) return [];
  const rest = after === undefined ? sql`` : sql` and (kind, key) > (${after.kind}, ${after.key})`;
  const query = sql`select ${columns} from skill_grant where skill = ${uid}${rest}
    order by kind, key limit ${pageLimit(limit)}`;
  return await db.all(query, GrantRow);
}

export async function selectGrant(
  db: Queries,
  uid: string,
  { kind, key }: Grantee,
): Promise<Grant | undefined> {
  if (!isStorable(uid) || !isStorable(key)) return undefined;
  const query = sql`select ${columns} from skill_grant
    where skill = ${uid} and kind = ${kind} and key = ${key}`;
  return (await db.all(query, GrantRow))[0];
}

/** Inserts the grant or replaces the one of the same grantee. */
export async function putGrant(tx: Tx, grant: Grant): Promise<void> {
  const { kind, key } = grant.grantee;
  const rights = [grant.canManage ? 1 : 0, grant.pin ?? null, grant.grantedBy, grant.at];
  await tx.run(sql`insert into skill_grant (${columns}) values (${joinSql([grant.skill, kind, key, ...rights])})
    on conflict (skill, kind, key) do update set can_manage = excluded.can_manage, pin = excluded.pin,
      granted_by = excluded.granted_by, at = excluded.at`);
}

/** Returns false if there was no such grant. */
export async function removeGrant(tx: Tx, uid: string, { kind, key }: Grantee): Promise<boolean> {
  if (!isStorable(uid) || !isStorable(key)) return false;
  const query = sql`delete from skill_grant where skill = ${uid} and kind = ${kind} and key = ${key}`;
  return (await tx.run(query)) > 0;
}

const pendingColumns = sql`skill, agent, can_manage, pin, requested_by, at`;

const PendingRow = z
  .object({
    skill: z.string(),
    agent: z.string(),
    can_manage: z.literal([0, 1]),
    pin: z.int().min(1).nullable(),
    requested_by: z.string(),
    at: z.string(),
  })
  .transform(
    ({ can_manage, pin, requested_by, ...row }): PendingGrant => ({
      ...row,
      canManage: can_manage === 1,
      pin: pin ?? undefined,
      requestedBy: requested_by,
    }),
  );

export async function selectPendingGrants(
  db: Queries,
  { user, agent, after, limit }: PendingGrantQuery,
): Promise<readonly PendingGrant[]> {
  if (![user, agent].every((text) => text === undefined || isStorable(text))) return [];
  const theirs =
    user === undefined
      ? sql``
      : sql` and (requested_by = ${user} or agent in (select key from agent where owner = ${user}))`;
  const one = agent === undefined ? sql`` : sql` and agent = ${agent}`;
  const rest = after === undefined ? sql`` : sql` and (skill, agent) > (${after.skill}, ${after.agent})`;
  const query = sql`select ${pendingColumns} from pending_grant where true${theirs}${one}${rest}
    order by skill, agent limit ${pageLimit(limit)}`;
  return await db.all(query, PendingRow);
}

export async function selectPendingGrant(
  db: Queries,
  uid: string,
  agent: string,
): Promise<PendingGrant | undefined> {
  if (!isStorable(uid) || !isStorable(agent)) return undefined;
  const query = sql`select ${pendingColumns} from pending_grant where skill = ${uid} and agent = ${agent}`;
  return (await db.all(query, PendingRow))[0];
}

/** Inserts the pending grant or replaces the one of the same skill and agent. */
export async function putPendingGrant(tx: Tx, grant: PendingGrant): Promise<void> {
  const { skill, agent, canManage, pin, requestedBy, at } = grant;
  const values = joinSql([skill, agent, canManage ? 1 : 0, pin ?? null, requestedBy, at]);
  await tx.run(sql`insert into pending_grant (${pendingColumns}) values (${values})
    on conflict (skill, agent) do update set can_manage = excluded.can_manage, pin = excluded.pin,
      requested_by = excluded.requested_by, at = excluded.at`);
}

/** Returns false if there was no such pending grant. */
export async function removePendingGrant(tx: Tx, uid: string, agent: string): Promise<boolean> {
  if (!isStorable(uid) || !isStorable(agent)) return false;
  return (await tx.run(sql`delete from pending_grant where skill = ${uid} and agent = ${agent}`)) > 0;
}
