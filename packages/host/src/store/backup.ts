import { constants, existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { publicKeyFile } from "@skillhold/registry/audit";
import { copyDatabase } from "@skillhold/store";
import type { BackupEntry, BackupSummary, CheckedBackup } from "@skillhold/store/backup";
import { dataFolder, makeDataFolder } from "../place/data-folder.ts";
import { ioFailure, systemCode } from "../place/io-failure.ts";
import type { ProcessContext } from "../place/machine.ts";
import { isStoreThere, missingStore } from "../place/store-address.ts";
import { auditKeyPath } from "./audit-store.ts";

const STATE = "state.db";
/** The files of a data folder that a backup keeps. Caches and copies of revisions are made again. */
const KEPT = /^(?:audit\.pub|checkpoints(?:-[0-9a-f]{16})?\.log|sources\.json|trust\/[\w.-]+)$/;
/** Without these, sealed secrets cannot be read and the log cannot be continued. */
const KEYS = /^(?:audit\.key|secret\.key|state\.db)$/;

const clock = { now: () => new Date() };

/** Writes the store at a URL, and the user's keys and settings, to one file. The store may be in use. */
export async function createBackup(
  url: string,
  file: string,
  place: ProcessContext,
  { withKeys }: { readonly withKeys: boolean },
): Promise<BackupSummary> {
  if (!isStoreThere(url)) throw missingStore(url, place);
  if (existsSync(file)) throw existing(file);
  const { backupRegistry } = await import("@skillhold/store/backup");
  try {
    return await backupRegistry(url, file, await readFiles(url, place, withKeys), clock);
  } catch (error) {
    throw error instanceof SkillError ? error : ioFailure(`${file} cannot be written`, error);
  }
}

/** Verifies a backup without changing anything. */
export async function verifyBackup(file: string): Promise<CheckedBackup> {
  const { checkBackupFile } = await import("@skillhold/store/backup");
  return await reading(file, () => checkBackupFile(file));
}

/** Restores a backup into an empty store and a data folder. Existing files of the data folder are kept and rejected. */
export async function restoreFromBackup(
  url: string,
  file: string,
  place: ProcessContext,
): Promise<CheckedBackup> {
  const { restoreRegistry } = await import("@skillhold/store/backup");
  await makeDataFolder(dataFolder(place.env));
  return await reading(file, () =>
    restoreRegistry(url, file, (name, bytes) => putFile(name, pathOf(name, url, place), bytes), clock),
  );
}

async function reading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillError) throw error;
    if (systemCode(error) === "ENOENT") throw new SkillError("PATH_NOT_FOUND", `${file} does not exist.`);
    throw ioFailure(`${file} cannot be read`, error);
  }
}

/** The log's key may be elsewhere: beside an SQLite store, or in a named file. */
function pathOf(name: string, url: string, place: ProcessContext): string {
  const key = auditKeyPath(url, place);
  if (name === "audit.key") return key;
  return name === "audit.pub" ? publicKeyFile(key) : join(dataFolder(place.env), name);
}

async function readFiles(
  url: string,
  place: ProcessContext,
  withKeys: boolean,
): Promise<readonly BackupEntry[]> {
  const names = await readdir(dataFolder(place.env), { recursive: true }).catch(() => []);
  const all = new Set([...names, "audit.key", "audit.pub"]);
  const kept = [...all]
    .filter((name) => KEPT.test(name) || (withKeys && KEYS.test(name)))
    .filter((name) => existsSync(pathOf(name, url, place)))
    .sort();
  return await Promise.all(
    kept.map(async (name) => {
      const path = pathOf(name, url, place);
      return { name, bytes: name === STATE ? await copyDatabase(path) : await readFile(path) };
    }),
  );
}

/** Writes a file durably. An equal file is left alone, so that a restore can be repeated. */
async function putFile(name: string, path: string, bytes: Uint8Array): Promise<void> {
  if (!KEPT.test(name) && !KEYS.test(name))
    throw new SkillError("INTEGRITY_FAILED", `The backup has an unexpected file ${JSON.stringify(name)}.`);
  const current = await readFile(path).catch(() => undefined);
  if (current !== undefined) {
    if (current.equals(bytes)) return;
    throw existing(path);
  }
  const handle = await openPrivateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, {
    title: "The restored file",
  });
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(path));
}

function existing(path: string): SkillError {
  return new SkillError("CONFLICT", `${path} already exists.`, {
    hint: "Name another file or data folder, or move the old one away.",
    details: { path },
  });
}
