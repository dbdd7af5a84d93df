import type { Clock } from "@skillhold/core/port";
import { Digest } from "@skillhold/protocol";
import type { Blob, BlobEntry } from "@skillhold/registry/record";
import { z } from "zod";
import type { Db, Queries, RowParser, Tx } from "../engine/db.ts";
import { ReadBatch } from "../engine/read-batch.ts";
import { chunks, joinSql, type Sql, sql } from "../engine/sql.ts";
import { blobDamaged, blobDigest, type EngineBlobs, rejectFalseName } from "./blob.ts";

const PAGE = 1000;
/** Larger blobs are read alone, so that a query never returns more than a few megabytes of others. */
const SMALL_BYTES = 64 * 1024;
/** The most bytes per statement; the driver makes a copy of twice the size. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** The most bytes that are sent without a question which of them exist. */
const SMALL_PUT_BYTES = 256 * 1024;

const DigestRow = z.object({ digest: Digest });
const EntryRow = z
  .object({ digest: Digest, size: z.int(), put_ms: z.int() })
  .transform(({ digest, size, put_ms }): BlobEntry => ({ digest, size, putAt: new Date(put_ms) }));
const ContentColumns = z.object({ content: z.instanceof(Uint8Array) });
const SmallRow = z.object({ digest: Digest, content: z.instanceof(Uint8Array) });
const ContentRow: RowParser<Uint8Array> = { parse: (row) => ContentColumns.parse(row).content };

/**
 * Blobs in the database, for registries shared by several machines. PostgreSQL only; SQLite uses a folder.
 */
export function blobTable(db: Db, clock: Clock): EngineBlobs {
  const reads = new ReadBatch<Digest, Uint8Array, Uint8Array>({
    one: (digest) => getBlob(db, digest),
    many: (digests) => getSmallBlobs(db, digests),
  });
  return {
    put: (blobs, use) => putBlobs(db, blobs, clock.now().getTime(), use === "staged" ? staged : sql``),
    get: (digest) => reads.get(digest),
    missing: (digests) => missingBlobs(db, digests),
    list: () => listBlobs(db),
    remove: (digests, before) => db.transaction((tx) => removeBlobs(tx, digests, before.getTime())),
    within: (tx) => ({
      missing: (digests) => missingBlobs(tx, digests),
      remove: (digests, before) => removeBlobs(tx, digests, before.getTime()),
    }),
    // The database rolls back the work of a crashed writer.
    sweep: async () => 0,
  };
}

async function putBlobs(db: Db, blobs: readonly Blob[], now: number, also: Sql): Promise<void> {
  for (const blob of blobs) rejectFalseName(blob);
  // Ordered, so that concurrent puts of the same blobs do not deadlock.
  const distinct = [...new Map(blobs.map((blob) => [blob.digest, blob])).values()].sort((one, other) =>
    one.digest < other.digest ? -1 : 1,
  );
  const bytes = distinct.reduce((sum, blob) => sum + blob.bytes.length, 0);
  if (bytes <= SMALL_PUT_BYTES && (await putAtOnce(db, distinct, now, also))) return;
  for (const batch of batches(distinct)) {
    await db.transaction(async (tx) => {
      const kept = await renew(
        tx,
        batch.map(({ digest }) => digest),
        now,
      );
      const fresh = batch.filter(({ digest }) => !kept.has(digest));
      if (fresh.length > 0) await insert(tx, fresh, now);
    });
  }
}

/** Does not wait for the disk: the server's log is sequential, so that the next commit makes the blobs durable too. */
const staged = sql`, set_config('synchronous_commit', 'off', true)`;

/** One round trip for the files of most skills, existing ones included. False if it failed, as in a deadlock. */
async function putAtOnce(db: Db, blobs: readonly Blob[], now: number, also: Sql): Promise<boolean> {
  if (blobs.length === 0) return true;
  try {
    await db.all(
      sql`insert into blob (digest, size, put_ms, content) values ${joinSql(rowsOf(blobs, now))}
        on conflict (digest) do update set size = excluded.size,
          put_ms = greatest(blob.put_ms, excluded.put_ms),
          content = case when ${isIntact} then blob.content else excluded.content end
        returning blob.digest${also}`,
      DigestRow,
    );
    return true;
  } catch {
    return false;
  }
}

const isIntact = sql`'sha256:' || encode(sha256(blob.content), 'hex') = blob.digest`;

/** Marks intact existing blobs as new; their bytes need not be sent. */
async function renew(tx: Tx, digests: readonly Digest[], now: number): Promise<ReadonlySet<Digest>> {
  const rows = await tx.all(
    sql`update blob set put_ms = greatest(put_ms, ${now}) where digest in (${joinSql(digests)})
      and ${isIntact} returning digest`,
    DigestRow,
  );
  return new Set(rows.map(({ digest }) => digest));
}

async function insert(tx: Tx, blobs: readonly Blob[], now: number): Promise<void> {
  await tx.run(sql`insert into blob (digest, size, put_ms, content) values ${joinSql(rowsOf(blobs, now))}
    on conflict (digest) do update set size = excluded.size, put_ms = excluded.put_ms, content = excluded.content`);
}

function rowsOf(blobs: readonly Blob[], now: number): readonly Sql[] {
  return blobs.map(({ digest, bytes }) => sql`(${digest}, ${bytes.length}, ${now}, ${bytes})`);
}

async function getBlob(db: Db, digest: Digest): Promise<Uint8Array> {
  const [bytes] = await db.all(sql`select content from blob where digest = ${digest}`, ContentRow);
  if (bytes === undefined || blobDigest(bytes) !== digest) throw blobDamaged(digest, bytes);
  return bytes;
}

async function getSmallBlobs(db: Db, digests: readonly Digest[]): Promise<ReadonlyMap<Digest, Uint8Array>> {
  const query = sql`select digest, content from blob
    where digest in (${joinSql(digests)}) and size <= ${SMALL_BYTES}`;
  const rows = await db.all(query, SmallRow);
  return new Map(
    rows
      .filter(({ digest, content }) => blobDigest(content) === digest)
      .map(({ digest, content }) => [digest, content]),
  );
}

async function missingBlobs(db: Queries, digests: readonly Digest[]): Promise<readonly Digest[]> {
  const kept = new Set<Digest>();
  for (const chunk of chunks(digests)) {
    const query = sql`select digest from blob where digest in (${joinSql(chunk)})`;
    for (const { digest } of await db.all(query, DigestRow)) kept.add(digest);
  }
  return digests.filter((digest) => !kept.has(digest));
}

async function* listBlobs(db: Db): AsyncIterable<BlobEntry> {
  for (let after = ""; ; ) {
    const page = await db.all(
      sql`select digest, size, put_ms from blob where digest > ${after} order by digest limit ${PAGE}`,
      EntryRow,
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.digest;
  }
}

async function removeBlobs(tx: Tx, digests: readonly Digest[], before: number): Promise<number> {
  let removed = 0;
  for (const chunk of chunks([...digests].sort()))
    removed += await tx.run(sql`delete from blob where digest in (${joinSql(chunk)}) and put_ms < ${before}`);
  return removed;
}

function* batches(blobs: readonly Blob[]): Generator<readonly Blob[]> {
  let batch: Blob[] = [];
  let bytes = 0;
  for (const blob of blobs) {
    if (batch.length > 0 && (bytes + blob.bytes.length > BATCH_BYTES || batch.length === 500)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(blob);
    bytes += blob.bytes.length;
  }
  if (batch.length > 0) yield batch;
}
