import { Role, TokenKind } from "@skillhold/protocol";
import type { TokenPage } from "@skillhold/registry/record";
import type { StoredToken } from "@skillhold/registry/token";
import { z } from "zod";
import type { Db, Queries, Tx } from "../engine/db.ts";
import { isStorable, joinSql, pageLimit, sql, timeText } from "../engine/sql.ts";

const columns = sql`id, kind, name, role, account, agent, hash, created_by, created_at, expires_at, revoked_at,
  last_used_at`;

/** Validated on read, because a token decides identity and permissions. */
const TokenRow = z
  .object({
    id: z.string(),
    kind: TokenKind,
    name: z.string(),
    role: Role,
    account: z.string().min(1),
    agent: z.string().min(1).nullable(),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    revoked_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .transform(
    (row): StoredToken => ({
      id: row.id,
      kind: row.kind,
      name: row.name,
      role: row.role,
      user: row.account,
      agent: row.agent ?? undefined,
      hash: row.hash,
      createdBy: row.created_by,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at ?? undefined,
      lastUsedAt: row.last_used_at ?? undefined,
    }),
  );

/** The shortest interval between two updates of the last use. */
const TOUCH_MS = 60_000;

/** By secret hash or id, which never look alike. */
export async function selectToken(db: Queries, hashOrId: string): Promise<StoredToken | undefined> {
  if (!isStorable(hashOrId)) return undefined;
  const query = sql`select ${columns} from token where hash = ${hashOrId} or id = ${hashOrId} limit 1`;
  return (await db.all(query, TokenRow))[0];
}

/** The tokens of one kind, or all, oldest first. */
export async function selectTokens(db: Queries, kind?: TokenKind): Promise<readonly StoredToken[]> {
  const which = kind === undefined ? sql`` : sql`where kind = ${kind}`;
  return await db.all(sql`select ${columns} from token ${which} order by created_at, id`, TokenRow);
}

/**
 * One page of API and session tokens, oldest first. Each kind is read in order and limited to the page size.
 */
export async function selectTokenPage(
  db: Queries,
  { after, limit, of }: TokenPage,
): Promise<readonly StoredToken[]> {
  const later =
    after === undefined ? sql`` : sql` and (created_at, id) > (${timeText(after.createdAt)}, ${after.id})`;
  const own =
    of === undefined ? sql`` : sql` and (account = ${of} or (created_by = ${of} and role = 'agent'))`;
  const rest = sql`${later}${own}`;
  const order = sql`order by created_at, id limit ${pageLimit(limit)}`;
  const query = sql`
    select ${columns} from (select ${columns} from token where kind = 'api'${rest} ${order}) as program
    union all
    select ${columns} from (select ${columns} from token where kind = 'session'${rest} ${order}) as browser
    ${order}`;
  return await db.all(query, TokenRow);
}

/** Inserts the token or revokes the one with its id. The first revocation time is kept. */
export async function putToken(tx: Tx, token: StoredToken): Promise<void> {
  await tx.run(sql`insert into token (${columns}) values (${joinSql(valuesOf(token))})
    on conflict (id) do update set revoked_at = coalesce(token.revoked_at, excluded.revoked_at)`);
}

export async function extendSession(tx: Tx, id: string, expiresAt: string, now: Date): Promise<void> {
  const until = timeText(expiresAt);
  await tx.run(sql`update token set expires_at = ${until} where id = ${id} and kind = 'session'
    and revoked_at is null and expires_at > ${timeText(now)} and expires_at < ${until}`);
}

/** Ordered by id, so that two writers do not deadlock. */
export async function touchTokens(tx: Tx, uses: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, at] of [...uses].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = new Date(Date.parse(at) - TOUCH_MS).toISOString();
    await tx.run(sql`update token set last_used_at = ${timeText(at)}
      where id = ${id} and (last_used_at is null or last_used_at <= ${before})`);
  }
}

function valuesOf(token: StoredToken) {
  const { id, kind, name, role, user, agent, hash, createdBy, createdAt, expiresAt } = token;
  const times = [createdAt, expiresAt].map(timeText);
  const later = [token.revokedAt, token.lastUsedAt].map((at) => (at === undefined ? null : timeText(at)));
  return [id, kind, name, role, user, agent ?? null, hash, createdBy, ...times, ...later];
}

/** Held while deleting, because two processes that delete the same rows in different order would deadlock. */
const FORGET_LOCK = "tokens and approvals";
/** The most rows of each table that are deleted at once, to keep the lock short. */
const MOST = 500;

/** Deletes expired tokens and approvals, the oldest first. */
export async function forgetExpired(tx: Tx, now: Date): Promise<void> {
  await tx.lock(FORGET_LOCK);
  const end = timeText(now);
  for (const table of [sql`token`, sql`approval`]) {
    await tx.run(sql`delete from ${table} where id in
      (select id from ${table} where expires_at <= ${end} order by expires_at, id limit ${MOST})`);
  }
}

/**
 * Writes the last use of tokens in the background. One write runs at a time, and the next one includes all
 * later uses. A failed write is dropped, because the next use is recorded again.
 */
export class TokenTouches {
  readonly #db: Db;
  #waiting = new Map<string, string>();
  #writing: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  add(uses: ReadonlyMap<string, string>): void {
    for (const [id, at] of uses) this.#waiting.set(id, at);
    this.#writing ??= this.#writeAll();
  }

  /** Waits for the running write. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const uses = this.#waiting;
      this.#waiting = new Map();
      await this.#db.transaction((tx) => touchTokens(tx, uses)).catch(() => {});
    }
    // Reset in the same turn as the last check; otherwise the next use would never be written.
    this.#writing = undefined;
  }
}
