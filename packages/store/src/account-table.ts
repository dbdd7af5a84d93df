import type { UserRecord } from "@skillhold/core/registry";
import { z } from "zod";
import type { Queries, Tx } from "./db.ts";
import { isStorable, sql } from "./sql.ts";

const UserRow = z
  .object({ name: z.string(), display_name: z.string().nullable(), created_at: z.string() })
  .transform(
    (row): UserRecord => ({
      name: row.name,
      displayName: row.display_name ?? undefined,
      createdAt: row.created_at,
    }),
  );

export async function findUser(db: Queries, name: string): Promise<UserRecord | undefined> {
  if (!isStorable(name)) return undefined;
  const query = sql`select name, display_name, created_at from account where name = ${name}`;
  return (await db.all(query, UserRow))[0];
}

/** Ordered by name. */
export async function listUsers(db: Queries): Promise<readonly UserRecord[]> {
  return await db.all(sql`select name, display_name, created_at from account order by name`, UserRow);
}

/** Keeps the user where there is none of the name. */
export async function putUser(tx: Tx, { name, displayName, createdAt }: UserRecord): Promise<void> {
  await tx.run(sql`insert into account (name, display_name, created_at)
    values (${name}, ${displayName ?? null}, ${createdAt}) on conflict (name) do nothing`);
}
