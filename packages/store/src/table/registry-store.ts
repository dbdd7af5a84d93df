import { resolve } from "node:path";
import { type Clock, systemTimers, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { CheckpointSigner } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import type { EngineBlobs } from "../blob/blob.ts";
import { openBlobFolder } from "../blob/blob-folder.ts";
import { blobTable } from "../blob/blob-table.ts";
import { CommitWatch } from "../engine/commit-watch.ts";
import type { Db } from "../engine/db.ts";
import { openSqliteFile } from "../engine/sqlite/sqlite-db.ts";
import { listBrokenEvents } from "./event-log.ts";
import { lastEvent } from "./event-table.ts";
import { migrate } from "./migration.ts";
import { migrations } from "./migration-table.ts";
import { readerOf } from "./registry-reader.ts";
import { transactionOf } from "./registry-transaction.ts";
import { TokenTouches } from "./token-table.ts";
import { vectorTable } from "./vector-table.ts";

export interface RegistryStoreOptions {
  /** Whether to create a missing registry; by default true. */
  readonly create?: boolean;
  /** Whether to upgrade an older registry instead of rejecting it; by default true. */
  readonly upgrade?: boolean;
  /** How long to wait for locks. */
  readonly busyMs?: number;
  readonly clock?: Clock;
  /** The machine's timers by default. */
  readonly timers?: Timers;
  /** Signs the log after each append. Without a signer, manipulation of its last state cannot be detected. */
  readonly signer?: CheckpointSigner;
}

type Settings = Required<Omit<RegistryStoreOptions, "signer">>;

const BUSY_MS = 30_000;
const systemClock: Clock = { now: () => new Date() };

/** Opens the registry at `sqlite:<file>`, `postgres://…` or `postgresql://…`. The caller closes it. */
export async function openRegistryStore(
  url: string,
  options: RegistryStoreOptions = {},
): Promise<RegistryStore> {
  const { signer, ...others } = options;
  const settings = settingsOf(others);
  const db = await openDb(url, settings);
  try {
    await migrate(db, settings.clock, migrations, settings);
    const { blobs, close } = await openBlobs(url, db, settings);
    return storeOf(db, blobs, close, signer);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The database and the blobs of a registry, without migrating it. */
export interface RawRegistry {
  readonly db: Db;
  readonly blobs: EngineBlobs;
}

/** Opens a registry as it is, for one call. */
export async function withRawRegistry<T>(
  url: string,
  options: Omit<RegistryStoreOptions, "signer">,
  use: (registry: RawRegistry) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(options);
  const db = await openDb(url, settings);
  try {
    const { blobs, close } = await openBlobs(url, db, settings);
    try {
      return await use({ db, blobs });
    } finally {
      close();
    }
  } finally {
    await db.close();
  }
}

function settingsOf(options: Omit<RegistryStoreOptions, "signer">): Settings {
  const own = { create: true, upgrade: true, busyMs: BUSY_MS, clock: systemClock, timers: systemTimers };
  return { ...own, ...options };
}

async function openBlobs(
  url: string,
  db: Db,
  { clock }: Settings,
): Promise<{ readonly blobs: EngineBlobs; readonly close: () => void }> {
  if (db.engine === "postgres") return { blobs: blobTable(db, clock), close: () => {} };
  const folder = await openBlobFolder(`${filePath(url)}.d/blobs`, clock);
  return { blobs: folder, close: () => folder.close() };
}

async function openDb(url: string, settings: Settings): Promise<Db> {
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

function filePath(url: string): string {
  const path = url.slice("sqlite:".length);
  if (path !== "" && path !== ":memory:" && !path.includes("\0")) return resolve(path);
  throw new SkillError("CONFIG_INVALID", "The store address contains no file path.", {
    hint: "Use sqlite:<file>. The blobs are stored in a folder beside it.",
  });
}

function storeOf(
  db: Db,
  blobs: EngineBlobs,
  closeBlobs: () => void,
  signer: CheckpointSigner | undefined,
): RegistryStore {
  const commits = new CommitWatch({
    db,
    number: async () => (await db.version()) ?? (await lastEvent(db)),
    everyMs: db.engine === "sqlite" ? 250 : 5000,
  });
  const touches = new TokenTouches(db);
  return {
    engine: db.engine,
    blobs,
    vectors: vectorTable(db),
    ...readerOf(db),
    transaction: (work) => db.transaction((tx) => work(transactionOf(tx, blobs, signer))),
    onCommit: (listener) => commits.add(listener),
    version: () => db.version(),
    touchTokens: (uses) => touches.add(uses),
    listBrokenEvents: () => listBrokenEvents(db),
    close: async () => {
      await commits.close();
      await touches.close();
      await db.close();
      closeBlobs();
    },
  };
}
