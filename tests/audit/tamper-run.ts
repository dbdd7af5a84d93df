import { verifyAudit } from "@skillhold/registry/audit";
import type { AuditHead, RegistryStore } from "@skillhold/registry/record";
import { makeEvent, makeKey, type StoredLog } from "@skillhold/registry/test/audit/memory-log.fixture";
import { type Pick, pickTamper, type Victim } from "@skillhold/registry/test/audit/tamper.fixture";
import type { Tx } from "@skillhold/store/test/engine/db";
import { joinSql, sql } from "@skillhold/store/test/engine/sql";
import { withDb } from "@skillhold/store/test/table/raw-registry.fixture";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";

export interface TamperOptions {
  readonly url: string;
  readonly count: number;
  readonly pick: Pick;
}

export interface TamperReport {
  readonly tampers: number;
  /** The names of the undetected tampers. */
  readonly missed: readonly string[];
  /** The number of different tampers. */
  readonly kinds: number;
}

const ENTRIES = 60;

/** Repeatedly falsifies the log directly in the database and verifies it each time. */
export async function tamperRun({ url, count, pick }: TamperOptions): Promise<TamperReport> {
  const key = makeKey();
  const keys = [key.trusted];
  const store = await openRegistryStore(url, { signer: key.signer });
  const missed: string[] = [];
  const kinds = new Set<string>();
  try {
    const victim = await fill(store);
    const witnessed = [...victim.past, victim.head].map(({ note }) => note ?? "");
    const isSound = async () => (await verifyAudit(store, { keys, witnessed })).isSound;
    await withDb(url, async (db) => {
      const write = (log: StoredLog) => db.transaction((tx) => writeLog(tx, log));
      for (let round = 0; round < count; round += 1) {
        const [name, tamper] = pickTamper(pick);
        kinds.add(name);
        await write(tamper(victim, pick));
        if (await isSound()) missed.push(name);
        await write(victim);
      }
    });
    if (!(await isSound())) missed.push("the log as it was is not sound any more");
    return { tampers: count, missed, kinds: kinds.size };
  } finally {
    await store.close();
  }
}

async function fill(store: RegistryStore): Promise<Victim> {
  const heads: AuditHead[] = [];
  for (let next = 0; next < ENTRIES; ) {
    const events = Array.from({ length: Math.min(17, ENTRIES - next) }, (_, index) =>
      makeEvent(next + index),
    );
    await store.transaction((tx) => tx.appendAll(events));
    next += events.length;
    const head = await store.findHead();
    if (head !== undefined) heads.push(head);
  }
  const head = heads.pop();
  if (head === undefined) throw new Error("The log has no head.");
  return { rows: await store.auditAfter(0, 2 * ENTRIES), head, past: heads };
}

/** Replaces the whole log. */
async function writeLog(tx: Tx, { rows, head }: StoredLog): Promise<void> {
  await tx.run(sql`delete from event`);
  await tx.run(sql`delete from audit_head`);
  for (const { seq, at, type, skill, session, agent, person, body, hash } of rows) {
    const names = [skill, session, agent, person].map((name) => name ?? null);
    await tx.run(sql`insert into event (seq, at, type, skill, session, agent, person, body, hash)
      values (${joinSql([seq, at, type, ...names, body, hash])})`);
  }
  if (head === undefined) return;
  await tx.run(sql`insert into audit_head (id, origin, seq, hash, roots, note)
    values (1, ${head.origin}, ${head.seq}, ${head.hash}, ${JSON.stringify(head.frontier.roots)}, ${head.note ?? null})`);
}
