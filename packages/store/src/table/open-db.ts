import { resolve } from "node:path";
import { type Clock, systemTimers, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { FolderToggle } from "@skillhold/registry/record";
import type { Db } from "../engine/db.ts";
import { openSqliteFile } from "../engine/sqlite/sqlite-db.ts";
import { migrate } from "./migration.ts";
import { migrations } from "./migration-table.ts";
import { selectToggles } from "./toggle-table.ts";

export interface DbSettings {
  /** Whether to create a missing registry; by default true. */
  readonly create: boolean;
  /** Whether to upgrade an older registry instead of rejecting it; by default true. */
  readonly upgrade: boolean;
  /** How long to wait for locks. */
  readonly busyMs: number;
  readonly clock: Clock;
  /** The machine's timers by default. */
  readonly timers: Timers;
}

const BUSY_MS = 30_000;
const systemClock: Clock = { now: () => new Date() };

/** Reads the toggles of skills in folders, without the other tables. */
export async function readToggles(
  url: string,
  options: Partial<DbSettings>,
): Promise<readonly FolderToggle[]> {
  const settings = settingsOf(options);
  const db = await openDb(url, settings);
  try {
    await migrate(db, settings.clock, migrations, settings);
    return await selectToggles(db);
  } finally {
    await db.close();
  }
}

export function settingsOf(options: Partial<DbSettings>): DbSettings {
  const own = { create: true, upgrade: true, busyMs: BUSY_MS, clock: systemClock, timers: systemTimers };
  return { ...own, ...options };
}

export async function openDb(url: string, settings: DbSettings): Promise<Db> {
  if (url.startsWith("sqlite:")) return await openSqliteFile(filePath(url), settings);
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("../engine/postgres/postgres-db.ts");
    return await openPostgres(url, settings);
  }
  // The address may contain a password, so the message does not repeat it.
  throw new SkillError("CONFIG_INVALID", "The store address is neither an SQLite nor a PostgreSQL address.", {
    hint: "Use sqlite:<file> or postgres://user@host/database.",
  });
}

export function filePath(url: string): string {
  const path = url.slice("sqlite:".length);
  if (path !== "" && path !== ":memory:" && !path.includes("\0")) return resolve(path);
  throw new SkillError("CONFIG_INVALID", "The store address contains no file path.", {
    hint: "Use sqlite:<file>. The blobs are stored in a folder beside it.",
  });
}
