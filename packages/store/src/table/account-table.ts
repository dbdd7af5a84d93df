import { SignInRole } from "@skillhold/protocol";
import type { ListPage, UserRecord } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { isStorable, pageLimit, sql, timeText } from "../engine/sql.ts";

const columns = sql`name, display_name, created_at, role, inactive_since`;

const UserRow = z
  .object({
    name: z.string(),
    display_name: z.string().nullable(),
    created_at: z.string(),
    role: SignInRole.nullable(),
    inactive_since: z.string().nullable(),
  })
  .transform(
    (row): UserRecord => ({
      name: row.name,
      displayName: row.display_name ?? undefined,
      createdAt: row.created_at,
      role: row.role ?? undefined,
      inactiveSince: row.inactive_since ?? undefined,
    }),
  );

export async function selectUser(db: Queries, name: string): Promise<UserRecord | undefined> {
  if (!isStorable(name)) return undefined;
  return (await db.all(sql`select ${columns} from account where name = ${name}`, UserRow))[0];
}

/** Ordered by name; all, or one page. */
export async function selectUsers(
  db: Queries,
  { after, limit }: ListPage = {},
): Promise<readonly UserRecord[]> {
  const rest = after === undefined ? sql`` : sql` where name > ${after}`;
  const page = limit === undefined ? sql`` : sql` limit ${pageLimit(limit)}`;
  return await db.all(sql`select ${columns} from account${rest} order by name${page}`, UserRow);
}

/** Inserts the user unless the name exists. */
export async function putUser(
  tx: Tx,
  { name, displayName, createdAt }: Pick<UserRecord, "name" | "displayName" | "createdAt">,
): Promise<void> {
  await tx.run(sql`insert into account (name, display_name, created_at)
    values (${name}, ${displayName ?? null}, ${createdAt}) on conflict (name) do nothing`);
}

export async function setUser(
  tx: Tx,
  { name, role, inactiveSince }: Pick<UserRecord, "name" | "role" | "inactiveSince">,
): Promise<void> {
  const since = inactiveSince === undefined ? null : timeText(inactiveSince);
  await tx.run(
    sql`update account set role = ${role ?? null}, inactive_since = ${since} where name = ${name}`,
  );
}
