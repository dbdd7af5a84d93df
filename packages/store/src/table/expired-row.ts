import type { Tx } from "../engine/db.ts";
import { sql } from "../engine/sql.ts";
import { timeText } from "../engine/time-text.ts";

/** Held by who forgets: two who take away the same rows in another order would wait for each other. */
const FORGET_LOCK = "tokens and approvals";
/** How many of each are forgotten at once, so that nobody waits long for it. */
const MOST = 500;

/** Forgets tokens and approvals that have expired, those first that have been over for longest. */
export async function forgetExpired(tx: Tx, now: Date): Promise<void> {
  await tx.lock(FORGET_LOCK);
  const end = timeText(now);
  for (const table of [sql`token`, sql`approval`]) {
    await tx.run(sql`delete from ${table} where id in
      (select id from ${table} where expires_at <= ${end} order by expires_at, id limit ${MOST})`);
  }
}
