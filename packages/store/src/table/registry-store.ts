import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Timers } from "@skillhold/core/port";
import type { Digest } from "@skillhold/protocol";
import {
  CheckpointKeeper,
  type CheckpointOptions,
  type CheckpointSigner,
  type GuardedAppend,
  LogGuard,
  type LogMemory,
  type SeenLogState,
} from "@skillhold/registry/audit";
import type {
  RegisteredSkill,
  RegistryStore,
  RegistryTransaction,
  Revision,
  TreeFile,
} from "@skillhold/registry/record";
import type { EngineBlobs } from "../blob/blob.ts";
import { openBlobFolder } from "../blob/blob-folder.ts";
import { blobTable } from "../blob/blob-table.ts";
import { CommitWatch } from "../engine/commit-watch.ts";
import type { Db, Tx } from "../engine/db.ts";
import { ReadBatch } from "../engine/read-batch.ts";
import { listBrokenEvents } from "./event-log.ts";
import { lastEvent } from "./event-table.ts";
import { migrate } from "./migration.ts";
import { migrations } from "./migration-table.ts";
import { type DbSettings, filePath, openDb, settingsOf } from "./open-db.ts";
import { readerOf } from "./registry-reader.ts";
import { transactionOf } from "./registry-transaction.ts";
import { type RevisionKey, selectRevisionOf, selectRevisionsOf } from "./revision-table.ts";
import { searchIndexTable } from "./search-index-table.ts";
import { ActorCache, ActorLookup } from "./session-actor.ts";
import { selectSkill, selectSkillsOf } from "./skill-table.ts";
import { TokenTouches } from "./token-table.ts";
import { selectTree, selectTreesOf } from "./tree-table.ts";
import { vectorTable } from "./vector-table.ts";

export interface RegistryStoreOptions extends Partial<DbSettings> {
  /** Rolls back every transaction, so that results and errors are those of the real change. Needs no signer. */
  readonly isDryRun?: boolean;
  /** Signs the log after each append. Without a signer, manipulation of its last state cannot be detected. */
  readonly signer?: CheckpointSigner;
  /** Remembers the last seen state of the log across processes, so that a rewritten log is not extended. */
  readonly memory?: LogMemory;
  /** When and where signed checkpoints are kept. */
  readonly checkpoints?: CheckpointOptions;
}

/** A log is signed, unsigned, or never changed. */
type LogMode = SignedLog | "dry run" | undefined;

/**
 * The guard of a signed log, the keeper of its checkpoints, and the actors of its sessions. The guard rejects a log that does not
 * continue the one of the cached actors.
 */
interface SignedLog {
  readonly guard: LogGuard;
  readonly actors: ActorCache;
  readonly keeper: CheckpointKeeper;
}

/** Opens the registry at `sqlite:<file>`, `postgres://…` or `postgresql://…`. The caller closes it. */
export async function openRegistryStore(
  url: string,
  options: RegistryStoreOptions = {},
): Promise<RegistryStore> {
  const { signer, memory, checkpoints, isDryRun = false, ...others } = options;
  const settings = settingsOf(others);
  const log = isDryRun
    ? "dry run"
    : signer && signedLog(signer, memory, { timers: settings.timers, ...checkpoints });
  const db = await openDb(url, settings);
  try {
    await migrate(db, settings.clock, migrations, settings);
    return storeOf(db, await openDisk(url, db, settings), log, settings.timers);
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
  options: Partial<DbSettings>,
  use: (registry: RawRegistry) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(options);
  const db = await openDb(url, settings);
  try {
    const { blobs, closeBlobs } = await openDisk(url, db, settings);
    try {
      return await use({ db, blobs });
    } finally {
      closeBlobs();
    }
  } finally {
    await db.close();
  }
}

async function openDisk(url: string, db: Db, { clock }: DbSettings): Promise<Disk> {
  if (db.engine === "postgres")
    return { blobs: blobTable(db, clock), freeBytes: async () => undefined, closeBlobs: () => {} };
  const path = filePath(url);
  const blobs = await openBlobFolder(`${path}.d/blobs`, clock);
  return { blobs, freeBytes: () => freeBytesOf(dirname(path)), closeBlobs: () => blobs.close() };
}

/** Where an engine has its bytes. */
interface Disk {
  readonly blobs: EngineBlobs;
  readonly freeBytes: () => Promise<number | undefined>;
  readonly closeBlobs: () => void;
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function storeOf(
  db: Db,
  { blobs, freeBytes, closeBlobs }: Disk,
  log: LogMode,
  timers: Timers,
): RegistryStore {
  const commits = new CommitWatch({
    db,
    timers,
    number: async () => (await db.version()) ?? (await lastEvent(db)),
    everyMs: db.engine === "sqlite" ? 250 : 5000,
  });
  const touches = new TokenTouches(db);
  const trees = new ReadBatch<Digest, readonly TreeFile[]>({
    one: (hash) => selectTree(db, hash),
    many: (hashes) => selectTreesOf(db, hashes),
  });
  const skills = new ReadBatch<string, RegisteredSkill>({
    one: (key) => selectSkill(db, key),
    many: (ids) => selectSkillsOf(db, ids),
  });
  const revisions = new ReadBatch<RevisionKey, Revision>({
    one: (key) => selectRevisionOf(db, key),
    many: (keys) => selectRevisionsOf(db, keys),
  });
  return {
    engine: db.engine,
    blobs,
    vectors: vectorTable(db),
    searchIndex: searchIndexTable(db),
    ...readerOf(db),
    findTree: (hash) => trees.get(hash),
    findSkill: (idOrUid) => skills.get(idOrUid),
    findRevision: (uid, revision) => revisions.get(`${uid} ${revision}`),
    transaction: (work) => transact(db, blobs, log, work),
    onCommit: (listener) => commits.add(listener),
    version: () => db.version(),
    freeBytes,
    checkLog: () => transact(db, blobs, log, (tx) => tx.checkLog()),
    touchTokens: (uses) => touches.add(uses),
    listBrokenEvents: () => listBrokenEvents(db),
    close: async () => {
      await commits.close();
      await touches.close();
      if (typeof log === "object") await log.keeper.close();
      await db.close();
      closeBlobs();
    },
  };
}

function signedLog(
  signer: CheckpointSigner,
  memory: LogMemory | undefined,
  checkpoints: CheckpointOptions,
): SignedLog {
  const guard = new LogGuard(signer, memory);
  return { guard, actors: new ActorCache(), keeper: new CheckpointKeeper(guard, checkpoints) };
}

/** The checks of the log count only after the commit; the engine may run the work several times. */
async function transact<T>(
  db: Db,
  blobs: EngineBlobs,
  log: LogMode,
  work: (tx: RegistryTransaction) => Promise<T>,
): Promise<T> {
  if (log === "dry run")
    return await rollBack(db, (tx) => work(transactionOf(tx, blobs, log, new ActorLookup())));
  let guarded: GuardedAppend | undefined;
  let sessions = new ActorLookup();
  let state: SeenLogState | undefined;
  const result = await db.transaction(
    (tx) => {
      guarded = log?.guard.begin();
      sessions = log?.actors.begin() ?? new ActorLookup();
      return work(transactionOf(tx, blobs, guarded, sessions));
    },
    // The next transaction continues from this state, also before it is durable.
    () => {
      state = guarded && log?.guard.committed(guarded);
      log?.actors.committed(sessions);
    },
  );
  if (guarded?.start !== undefined && state !== undefined) log?.keeper.grown(state, guarded.start);
  return result;
}

async function rollBack<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  const undone = new Error("The dry run was rolled back.");
  try {
    return await db.transaction<never>(async (tx) => {
      result = { value: await work(tx) };
      throw undone;
    });
  } catch (error) {
    if (error !== undone || result === undefined) throw error;
    return result.value;
  }
}
