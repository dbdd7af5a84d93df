import type { ListPage, UserRecord } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { isStorable, pageLimit, sql } from "../engine/sql.ts";

const UserRow = z
  .object({ name: z.string(), display_name: z.string().nullable(), created_at: z.string() })
  .transform(
    (row): UserRecord => ({
      name: row.name,
      displayName: row.display_name ?? undefined,
      createdAt: row.created_at,
    }),
  );

export async function selectUser(db: Queries, name: string): Promise<UserRecord | undefined> {
  if (!isStorable(name)) return undefined;
  const query = sql`select name, display_name, created_at from account where name = ${name}`;
  return (await db.all(query, UserRow))[0];
}

/** Ordered by name; all, or one page. */
export async function selectUsers(
  db: Queries,
  { after, limit }: ListPage = {},
): Promise<readonly UserRecord[]> {
  const rest = after === undefined ? sql`` : sql` where name > ${after}`;
  const page = limit === undefined ? sql`` : sql` limit ${pageLimit(limit)}`;
  const query = sql`select name, display_name, created_at from account${rest} order by name${page}`;
  return await db.all(query, UserRow);
}

/** Inserts the user unless the name exists. */
export async function putUser(tx: Tx, { name, displayName, createdAt }: UserRecord): Promise<void> {
  await tx.run(sql`insert into account (name, display_name, created_at)
    values (${name}, ${displayName ?? null}, ${createdAt}) on conflict (name) do nothing`);
}
