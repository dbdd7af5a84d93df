import type { PasskeyRecord, SignInAttempt, SsoIdentity } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, sql, timeText } from "../engine/sql.ts";

const columns = sql`id, account, name, credential, public_key, counter, transports, created_at, last_used_at`;

/** Validated on read, because a passkey decides identity. */
const PasskeyRow = z
  .object({
    id: z.string(),
    account: z.string().min(1),
    name: z.string(),
    credential: z.string().min(1),
    public_key: z.string().min(1),
    counter: z.int().min(0),
    transports: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .transform(
    (row): PasskeyRecord => ({
      id: row.id,
      user: row.account,
      name: row.name,
      credential: row.credential,
      publicKey: row.public_key,
      counter: row.counter,
      transports: z.array(z.string()).parse(fromJson(row.transports)),
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at ?? undefined,
    }),
  );

/** By id or credential id; an id is a UUID, which no credential id is. */
export async function selectPasskey(db: Queries, idOrCredential: string): Promise<PasskeyRecord | undefined> {
  if (!isStorable(idOrCredential)) return undefined;
  const query = sql`select ${columns} from passkey
    where id = ${idOrCredential} or credential = ${idOrCredential} limit 1`;
  return (await db.all(query, PasskeyRow))[0];
}

/** Oldest first. */
export async function selectPasskeys(db: Queries, user: string): Promise<readonly PasskeyRecord[]> {
  if (!isStorable(user)) return [];
  const query = sql`select ${columns} from passkey where account = ${user} order by created_at, id`;
  return await db.all(query, PasskeyRow);
}

/** Inserts the passkey, or sets the counter and the last use of the one with its id. */
export async function putPasskey(tx: Tx, passkey: PasskeyRecord): Promise<void> {
  const { id, user, name, credential, publicKey, counter, transports, createdAt, lastUsedAt } = passkey;
  const used = lastUsedAt === undefined ? null : timeText(lastUsedAt);
  const texts = [id, user, name, credential, publicKey];
  const values = [...texts, counter, JSON.stringify(transports), timeText(createdAt), used];
  await tx.run(sql`insert into passkey (${columns}) values (${joinSql(values)})
    on conflict (id) do update set counter = excluded.counter, last_used_at = excluded.last_used_at`);
}

export async function removePasskey(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from passkey where id = ${id}`);
}

const IdentityRow = z
  .object({ issuer: z.string(), subject: z.string(), account: z.string().min(1), created_at: z.string() })
  .transform(
    ({ issuer, subject, account: user, created_at: createdAt }): SsoIdentity => ({
      ...{ issuer, subject, user, createdAt },
    }),
  );

export async function selectIdentity(
  db: Queries,
  issuer: string,
  subject: string,
): Promise<SsoIdentity | undefined> {
  if (!isStorable(issuer) || !isStorable(subject)) return undefined;
  const query = sql`select issuer, subject, account, created_at from sso_identity
    where issuer = ${issuer} and subject = ${subject}`;
  return (await db.all(query, IdentityRow))[0];
}

export async function insertIdentity(tx: Tx, identity: SsoIdentity): Promise<void> {
  const { issuer, subject, user, createdAt } = identity;
  await tx.run(sql`insert into sso_identity (issuer, subject, account, created_at)
    values (${issuer}, ${subject}, ${user}, ${timeText(createdAt)})`);
}

const AttemptRow = z
  .object({
    id: z.string(),
    kind: z.enum(["passkey-add", "passkey-use", "sso"]),
    body: z.string(),
    expires_at: z.iso.datetime(),
  })
  .transform(({ id, kind, body, expires_at: expiresAt }): SignInAttempt => ({ id, kind, body, expiresAt }));

/** Held while trimming, because two processes that delete the same rows in different order would deadlock. */
const TRIM_LOCK = "sign-in attempts";

/** Inserts the attempt, deletes expired ones, and keeps only the newest of the others. */
export async function putAttempt(
  tx: Tx,
  { id, kind, body, expiresAt }: SignInAttempt,
  { now, most }: { readonly now: Date; readonly most: number },
): Promise<void> {
  await tx.lock(TRIM_LOCK);
  await tx.run(sql`delete from sign_in_attempt where expires_at <= ${timeText(now)}`);
  await tx.run(sql`delete from sign_in_attempt where id in
    (select id from sign_in_attempt order by expires_at desc, id limit ${most} offset ${most - 1})`);
  await tx.run(sql`insert into sign_in_attempt (id, kind, body, expires_at)
    values (${id}, ${kind}, ${body}, ${timeText(expiresAt)})`);
}

/** Removes and returns the attempt; only one of several concurrent calls gets it. */
export async function takeAttempt(tx: Tx, id: string): Promise<SignInAttempt | undefined> {
  if (!isStorable(id)) return undefined;
  const query = sql`select id, kind, body, expires_at from sign_in_attempt where id = ${id}`;
  const [attempt] = await tx.all(query, AttemptRow);
  const removed = await tx.run(sql`delete from sign_in_attempt where id = ${id}`);
  return removed === 1 ? attempt : undefined;
}
