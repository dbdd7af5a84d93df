import { resolve } from "node:path";
import type { Clock } from "@skillhold/core/port";
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
  const settings: Settings = { create: true, upgrade: true, busyMs: BUSY_MS, clock: systemClock, ...others };
  const db = await openDb(url, settings);
  try {
    await migrate(db, settings.clock, migrations, settings);
    if (db.engine === "postgres") return storeOf(db, blobTable(db, settings.clock), () => {}, signer);
    const folder = await openBlobFolder(`${filePath(url)}.d/blobs`, settings.clock);
    return storeOf(db, folder, () => folder.close(), signer);
  } catch (error) {
    await db.close();
    throw error;
  }
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
