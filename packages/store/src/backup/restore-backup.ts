import type { Clock } from "@skillhold/core/port";
import { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Blob, BlobStore } from "@skillhold/registry/record";
import { ZodError, type z } from "zod";
import type { Db, Tx } from "../engine/db.ts";
import { joinSql, sql } from "../engine/sql.ts";
import { migrate } from "../table/migration.ts";
import { migrations } from "../table/migration-table.ts";
import { listTables, type TableSchema } from "../table/table-schema.ts";
import {
  BackupEnd,
  type BackupEntry,
  BackupManifest,
  type BackupSummary,
  BackupTally,
  backupDamaged,
} from "./backup-entry.ts";
import { AnyRow, type BackupRow, parseRow } from "./backup-row.ts";
import { identifier, NOT_AS_ROWS } from "./write-backup.ts";

const BATCH_BYTES = 8 * 1024 * 1024;
/** Well below the limits of both engines. */
const MAX_VALUES = 500;

/** A checked backup. */
export interface CheckedBackup {
  readonly manifest: BackupManifest;
  readonly summary: BackupSummary;
}

/** Reads a whole backup and verifies its digest. Throws for a cut, changed or newer backup. */
export async function checkBackup(
  entries: AsyncIterable<BackupEntry>,
  visit: (entry: BackupEntry) => Promise<void> = async () => {},
): Promise<CheckedBackup> {
  const tally = new BackupTally();
  let manifest: BackupManifest | undefined;
  let summary: BackupSummary | undefined;
  for await (const entry of entries) {
    if (summary !== undefined) throw backupDamaged("it continues after its end");
    if (entry.name === "end.json") {
      const { digest, ...counts } = readJson(entry, BackupEnd);
      if (digest !== tally.end().digest) throw backupDamaged("its digest does not match");
      summary = counts;
      continue;
    }
    if (manifest === undefined) manifest = readManifest(entry);
    else await visit(entry);
    tally.add(entry);
  }
  if (manifest === undefined || summary === undefined) throw backupDamaged("its end is missing");
  return { manifest, summary };
}

function readManifest(entry: BackupEntry): BackupManifest {
  if (entry.name !== "manifest.json") throw backupDamaged("it has no manifest");
  const manifest = readJson(entry, BackupManifest);
  if (manifest.schema <= migrations.length) return manifest;
  throw new SkillError(
    "CONFIG_INVALID",
    `The backup has registry version ${manifest.schema}, but this program supports versions up to ${migrations.length}.`,
    { hint: "Restore it with the newer Skillhold that wrote it.", details: { version: manifest.schema } },
  );
}

function readJson<T>({ name, bytes }: BackupEntry, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (error) {
    if (error instanceof ZodError || error instanceof SyntaxError)
      throw backupDamaged(`${name} is invalid`, error);
    throw error;
  }
}

export interface RestoreTarget {
  readonly db: Db;
  readonly blobs: Pick<BlobStore, "put">;
  readonly clock: Clock;
  /** Receives the files of the data folder, before any row is written. */
  readonly putFile: (name: string, bytes: Uint8Array) => Promise<void>;
}

/**
 * Fills an empty registry from a checked backup, in one transaction after the blobs. `read` is called several times and
 * returns the same entries each time. An older backup is upgraded afterward.
 */
export async function restoreBackup(
  read: () => AsyncIterable<BackupEntry>,
  { db, blobs, clock, putFile }: RestoreTarget,
): Promise<CheckedBackup> {
  const checked = await checkBackup(read());
  const steps = migrations.slice(0, checked.manifest.schema);
  await migrate(db, clock, steps);
  await rejectFilled(db);
  await restoreContent(read(), blobs, putFile);
  const tables = new Map(listTables(steps).map((table) => [table.name, table]));
  await db.transaction(async (tx) => {
    // Migrations create rows, for example the head of the log.
    for (const { name } of tables.values())
      if (!NOT_AS_ROWS.has(name)) await tx.run(sql`delete from ${identifier(name)} where 1 = 1`);
    for await (const entry of read()) await insertRows(tx, entry, tables);
  });
  await migrate(db, clock);
  return checked;
}

async function rejectFilled(db: Db): Promise<void> {
  const rows = await db.all(sql`select seq from event limit 1`, AnyRow);
  if (rows.length === 0) return;
  throw new SkillError("CONFLICT", `The store at ${db.place} is not empty.`, {
    hint: "Choose a new folder with --data or a new database with --store, or move the old store away.",
    details: { place: db.place },
  });
}

async function restoreContent(
  entries: AsyncIterable<BackupEntry>,
  blobs: Pick<BlobStore, "put">,
  putFile: RestoreTarget["putFile"],
): Promise<void> {
  let batch: Blob[] = [];
  let size = 0;
  const flush = async () => {
    if (batch.length > 0) await blobs.put(batch);
    batch = [];
    size = 0;
  };
  for await (const { name, bytes } of entries) {
    const [, kind, rest = ""] = /^(blob|file)\/(.*)$/.exec(name) ?? [];
    if (kind === "file") await putFile(rest, bytes);
    if (kind !== "blob") continue;
    batch.push({ digest: Digest.parse(`sha256:${rest}`), bytes });
    size += bytes.length;
    if (size >= BATCH_BYTES || batch.length >= MAX_VALUES) await flush();
  }
  await flush();
}

async function insertRows(
  tx: Tx,
  { name, bytes }: BackupEntry,
  tables: ReadonlyMap<string, TableSchema>,
): Promise<void> {
  const [, tableName] = /^table\/(\w+)\/\d+\.jsonl$/.exec(name) ?? [];
  if (tableName === undefined) return;
  const table = tables.get(tableName);
  if (table === undefined || NOT_AS_ROWS.has(tableName))
    throw backupDamaged(`the table ${tableName} is unknown`);
  const rows = readRows(name, bytes);
  const perStatement = Math.max(1, Math.floor(MAX_VALUES / table.columns.length));
  for (let start = 0; start < rows.length; start += perStatement)
    await insert(tx, table, rows.slice(start, start + perStatement));
}

async function insert(tx: Tx, { name, columns }: TableSchema, rows: readonly BackupRow[]): Promise<void> {
  const values = rows.map((row) => {
    const unknown = Object.keys(row).find((column) => !columns.includes(column));
    if (unknown !== undefined) throw backupDamaged(`the column ${unknown} of ${name} is unknown`);
    return sql`(${joinSql(columns.map((column) => row[column] ?? null))})`;
  });
  const list = joinSql(columns.map(identifier));
  await tx.run(sql`insert into ${identifier(name)} (${list}) values ${joinSql(values)}`);
}

function readRows(name: string, bytes: Uint8Array): readonly BackupRow[] {
  try {
    return Buffer.from(bytes).toString().split("\n").map(parseRow);
  } catch (error) {
    if (error instanceof ZodError || error instanceof SyntaxError)
      throw backupDamaged(`${name} is invalid`, error);
    throw error;
  }
}
