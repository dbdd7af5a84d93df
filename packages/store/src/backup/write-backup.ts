import type { Clock } from "@skillhold/core/port";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { BlobStore } from "@skillhold/registry/record";
import type { Db, Queries } from "../engine/db.ts";
import { joinSql, Sql, sql } from "../engine/sql.ts";
import { migrations } from "../table/migration-table.ts";
import { listTables, type TableSchema } from "../table/table-schema.ts";
import { selectTrees } from "../table/tree-table.ts";
import {
  type BackupEntry,
  type BackupManifest,
  type BackupSummary,
  BackupTally,
  jsonEntry,
} from "./backup-entry.ts";
import { AnyRow, type BackupRow, formatRow } from "./backup-row.ts";

const PAGE = 500;
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Migrations run again on restore, blobs have entries of their own, and the search index can be built again. */
export const NOT_AS_ROWS = new Set(["migration", "blob", "search_index", "search_piece"]);

export interface BackupParts {
  readonly db: Db;
  readonly blobs: Pick<BlobStore, "get">;
  /** Files of the data folder, by name. */
  readonly files: readonly BackupEntry[];
  readonly clock: Clock;
}

/**
 * Writes all rows of one moment, the blobs that they refer to, and the given files. Other processes may read and write
 * meanwhile.
 */
export async function writeBackup(
  { db, blobs, files, clock }: BackupParts,
  put: (entry: BackupEntry) => Promise<void>,
): Promise<BackupSummary> {
  const tally = new BackupTally();
  const add = async (entry: BackupEntry, rows?: number) => {
    tally.add(entry, rows);
    await put(entry);
  };
  const manifest: BackupManifest = {
    format: "skillhold-backup",
    version: 1,
    createdAt: clock.now().toISOString(),
    engine: db.engine,
    schema: migrations.length,
  };
  await add(jsonEntry("manifest.json", manifest));
  const digests = await db.snapshot(async (reader) => {
    for (const table of listTables()) if (!NOT_AS_ROWS.has(table.name)) await writeTable(reader, table, add);
    return await listDigests(reader);
  });
  for (const digest of digests)
    await add({ name: `blob/${digest.slice("sha256:".length)}`, bytes: await getBlob(blobs, digest) });
  for (const { name, bytes } of files) await add({ name: `file/${name}`, bytes });
  const { digest, ...summary } = tally.end();
  await put(jsonEntry("end.json", { digest, ...summary }));
  return summary;
}

async function writeTable(
  reader: Queries,
  table: TableSchema,
  add: (entry: BackupEntry, rows: number) => Promise<void>,
): Promise<void> {
  let lines: string[] = [];
  let size = 0;
  let chunk = 0;
  const flush = async () => {
    if (lines.length === 0) return;
    chunk += 1;
    const name = `table/${table.name}/${String(chunk).padStart(6, "0")}.jsonl`;
    await add({ name, bytes: Buffer.from(lines.join("\n")) }, lines.length);
    lines = [];
    size = 0;
  };
  for await (const row of listRows(reader, table)) {
    const line = formatRow(row);
    lines.push(line);
    size += line.length;
    if (size >= CHUNK_BYTES) await flush();
  }
  await flush();
}

/** Pages by the primary key, so that each page is one index range. */
async function* listRows(reader: Queries, { name, key }: TableSchema): AsyncGenerator<BackupRow> {
  const table = identifier(name);
  const keys = joinSql(key.map(identifier));
  let last: BackupRow | undefined;
  do {
    const after =
      last === undefined
        ? sql``
        : sql`where (${keys}) > (${joinSql(key.map((each) => last?.[each] ?? null))})`;
    const page = await reader.all(
      sql`select * from ${table} ${after} order by ${keys} limit ${PAGE}`,
      AnyRow,
    );
    yield* page;
    last = page.at(-1);
  } while (last !== undefined);
}

async function listDigests(reader: Queries): Promise<readonly Digest[]> {
  const digests = new Set<Digest>();
  for (let after: Digest | undefined; ; ) {
    const page = await selectTrees(reader, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const { files } of page) for (const { digest } of files) digests.add(digest);
    after = page.at(-1)?.hash;
    if (after === undefined) return [...digests].sort();
  }
}

async function getBlob(blobs: Pick<BlobStore, "get">, digest: Digest): Promise<Uint8Array> {
  try {
    return await blobs.get(digest);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
    throw new SkillError("INTEGRITY_FAILED", `The backup cannot read the blob ${digest}.`, {
      hint: "If a skill was purged meanwhile, run the backup again. Otherwise run `skillhold fsck`.",
      details: { digest },
      cause: error,
    });
  }
}

/** Contract: the name comes from the migrations' source text. */
export function identifier(name: string): Sql {
  return new Sql([name], []);
}
