import type { Clock } from "@skillhold/core/port";
import { findVersion, migrate } from "../table/migration.ts";
import { migrations } from "../table/migration-table.ts";
import { withRawRegistry } from "../table/registry-store.ts";
import type { BackupEntry, BackupSummary } from "./backup-entry.ts";
import { readBackupFile, writeBackupFile } from "./backup-file.ts";
import { type CheckedBackup, checkBackup, restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

/** Writes a registry and files of its data folder to one file, while other processes use the registry. */
export async function backupRegistry(
  url: string,
  path: string,
  files: readonly BackupEntry[],
  clock: Clock,
): Promise<BackupSummary> {
  const policy = { create: false, upgrade: false, clock };
  return await withRawRegistry(url, policy, async ({ db, blobs }) => {
    await migrate(db, clock, migrations, policy);
    return await writeBackupFile(path, (put) => writeBackup({ db, blobs, files, clock }, put));
  });
}

/** Verifies a backup without a store. */
export async function checkBackupFile(path: string): Promise<CheckedBackup> {
  return await checkBackup(readBackupFile(path));
}

/** Fills an empty registry of either engine from a backup of either engine. */
export async function restoreRegistry(
  url: string,
  path: string,
  putFile: (name: string, bytes: Uint8Array) => Promise<void>,
  clock: Clock,
): Promise<CheckedBackup> {
  return await withRawRegistry(url, { clock }, ({ db, blobs }) =>
    restoreBackup(() => readBackupFile(path), { db, blobs, clock, putFile }),
  );
}

/** The migrations that a registry has, and those that this program knows. */
export async function readSchemaVersion(
  url: string,
): Promise<{ readonly current: number; readonly supported: number }> {
  const options = { create: false, upgrade: false };
  const current = await withRawRegistry(url, options, ({ db }) => findVersion(db));
  return { current, supported: migrations.length };
}
