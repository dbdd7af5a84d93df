import { constants } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pause, systemTimers, type Timers } from "@skillhold/core/port";
import { openPrivateFile } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { openDatabase } from "../engine/sqlite/node-sqlite.ts";
import { isBusy, isDamaged } from "../engine/sqlite/sqlite-failure.ts";

const BUSY_MS = 5000;

/** Forward only: each step runs once, in order, and never changes after its release. */
const MIGRATIONS: readonly string[] = [
  `create table approval (
     key text primary key,
     id text not null unique,
     skill text not null,
     tree_hash text not null,
     act text not null,
     target text not null,
     approver text not null,
     at_ms integer not null,
     expires_ms integer not null
   ) strict;
   create table secret (
     skill text not null,
     agent text not null,
     name text not null,
     sealed blob not null,
     set_ms integer not null,
     primary key (skill, agent, name)
   ) strict, without rowid`,
  `alter table approval add column covers text not null default '{"requester":{},"widen":[]}'`,
];

/**
 * Opens or creates the file for approvals and secrets; `:memory:` uses no file. Unlike a cache, a damaged or
 * newer file is rejected and kept. The caller closes it.
 */
export async function openStateDatabase(path: string, timers: Timers = systemTimers): Promise<DatabaseSync> {
  if (path !== ":memory:") await makePrivate(path);
  const deadline = timers.now() + BUSY_MS;
  for (;;) {
    const database = attemptState(path, () => open(path, timers.now() < deadline));
    if (database !== undefined) return database;
    // A random delay, so that conflicting processes do not collide again.
    await pause(5 + Math.random() * 20, timers);
  }
}

/**
 * Undefined if `mayBeBusy` and another process is opening or closing the file: SQLite's busy timeout does not
 * cover the switch to its write-ahead log.
 */
function open(path: string, mayBeBusy: boolean): DatabaseSync | undefined {
  const database = openDatabase(path);
  try {
    prepare(database, path);
    return database;
  } catch (error) {
    database.close();
    if (mayBeBusy && isBusy(error)) return undefined;
    throw error;
  }
}

/** Runs work and converts SQLite failures to SkillErrors. */
export function attemptState<T>(subject: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw isDamaged(error) ? damaged(subject, error) : failed(subject, error);
  }
}

/** SQLite would create the file with the umask; its companion files copy the mode of this one. */
async function makePrivate(path: string): Promise<void> {
  const handle = await openPrivateFile(path, constants.O_RDWR | constants.O_CREAT, {
    title: "The state file",
  });
  await handle.close();
}

function prepare(database: DatabaseSync, path: string): void {
  database.exec(`pragma busy_timeout = ${BUSY_MS}`);
  rejectNewer(database, path);
  // Committed changes survive a power failure, and deleted data is overwritten.
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on");
  const check = database.prepare("pragma quick_check(1)").get();
  if (check?.["quick_check"] !== "ok") throw damaged(path, check?.["quick_check"]);
  if (versionOf(database) < MIGRATIONS.length) migrate(database, path);
}

function rejectNewer(database: DatabaseSync, path: string): void {
  const version = versionOf(database);
  if (version <= MIGRATIONS.length) return;
  throw new SkillError(
    "CONFIG_INVALID",
    `The state file ${path} has version ${version}, but this program supports versions up to ${MIGRATIONS.length}.`,
    { hint: "Use the newer Skillhold that wrote it, or choose another file.", details: { path, version } },
  );
}

/** Another process may be migrating too, so the version is read again under the write lock. */
function migrate(database: DatabaseSync, path: string): void {
  database.exec("begin immediate");
  try {
    rejectNewer(database, path);
    for (const step of MIGRATIONS.slice(versionOf(database))) database.exec(step);
    database.exec(`pragma user_version = ${MIGRATIONS.length}`);
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("pragma user_version").get()?.["user_version"]);
}

function damaged(path: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `The state file ${path} is damaged.`, {
    hint: "Restore the file from a backup. Or move it away, then approve again and set the secrets again.",
    details: { path },
    cause,
  });
}

function failed(path: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `The state file ${path} cannot be read or written.`, {
    details: { path },
    cause,
  });
}
