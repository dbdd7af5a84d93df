import { resolve } from "node:path";
import type { Clock } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { CheckpointSigner } from "@skillhold/registry/audit";
import type { RegistryReader, RegistryStore, RegistryTransaction } from "@skillhold/registry/record";
import type { EngineBlobs } from "../blob/blob.ts";
import { openBlobFolder } from "../blob/blob-folder.ts";
import { blobTable } from "../blob/blob-table.ts";
import { CommitWatch } from "../engine/commit-watch.ts";
import type { Db, Queries, Tx } from "../engine/db.ts";
import { migrate } from "../engine/migration.ts";
import { migrations } from "../engine/migration-table.ts";
import { openSqliteFile } from "../engine/sqlite/sqlite-file.ts";
import { findUser, listUsers, putUser } from "./account-table.ts";
import { findAgent, listAgents, putAgent } from "./agent-table.ts";
import { findApproval, listApprovals, putApproval, removeApproval } from "./approval-table.ts";
import { findHead } from "./audit-head-table.ts";
import { listCurrent, listDeleted } from "./current-skill.ts";
import { listBrokenEvents } from "./event-check.ts";
import { appendAll } from "./event-log.ts";
import { listEvents } from "./event-query.ts";
import { auditAfter, eventsAbout, eventsAfter, eventsOfSession, lastEvent } from "./event-table.ts";
import { forgetExpired } from "./expired-row.ts";
import { findGrant, listGrantPage, listGrants, putGrant, removeGrant } from "./grant-table.ts";
import { findRevision, insertRevision, listRevisions, markPurged } from "./revision-table.ts";
import { findSkill, listSkills, putSkill } from "./skill-table.ts";
import { listToggles, putToggle } from "./toggle-table.ts";
import { findToken, listTokenPage, listTokens, putToken } from "./token-table.ts";
import { TokenTouches } from "./token-touch.ts";
import { findTree, listTrees, putTree, removeTrees } from "./tree-table.ts";

export interface RegistryStoreOptions {
  /** Whether a registry that is not there is made; it is, if nothing else is said. */
  readonly create?: boolean;
  /** Whether one of an older version is brought up to date, or else refused; it is, if nothing else is said. */
  readonly upgrade?: boolean;
  /** How long others are waited for. */
  readonly busyMs?: number;
  readonly clock?: Clock;
  /** Who vouches for the log after each append; without one, its last state is vouched for by nobody. */
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
  // The address may hold a password, and is not repeated.
  throw new SkillError("CONFIG_INVALID", "The address of the store is neither of SQLite nor of PostgreSQL.", {
    hint: "Write sqlite:<file> or postgres://user@host/database.",
  });
}

function filePath(url: string): string {
  const path = url.slice("sqlite:".length);
  if (path !== "" && path !== ":memory:" && !path.includes("\0")) return resolve(path);
  throw new SkillError("CONFIG_INVALID", "The address of the store names no file.", {
    hint: "Write sqlite:<file>; the blobs are kept in a folder beside it.",
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

function readerOf(db: Queries): RegistryReader {
  return {
    findSkill: (idOrUid) => findSkill(db, idOrUid),
    listSkills: (page) => listSkills(db, page),
    listCurrent: (ids) => listCurrent(db, ids),
    listDeleted: () => listDeleted(db),
    findRevision: (uid, revision) => findRevision(db, uid, revision),
    listRevisions: (uid, page) => listRevisions(db, uid, page),
    findTree: (hash) => findTree(db, hash),
    listTrees: (page) => listTrees(db, page),
    findAgent: (keyOrUid) => findAgent(db, keyOrUid),
    listAgents: (page) => listAgents(db, page),
    findUser: (name) => findUser(db, name),
    listUsers: (page) => listUsers(db, page),
    listGrants: (uids) => listGrants(db, uids),
    listGrantPage: (uid, page) => listGrantPage(db, uid, page),
    findGrant: (uid, grantee) => findGrant(db, uid, grantee),
    listToggles: () => listToggles(db),
    findToken: (hashOrId) => findToken(db, hashOrId),
    listTokens: (kind) => listTokens(db, kind),
    listTokenPage: (page) => listTokenPage(db, page),
    findApproval: (key, now) => findApproval(db, key, now),
    listApprovals: (now) => listApprovals(db, now),
    findHead: () => findHead(db),
    eventsAbout: (skill, type, limit) => eventsAbout(db, skill, type, limit),
    eventsOfSession: (session) => eventsOfSession(db, session),
    lastEvent: () => lastEvent(db),
    eventsAfter: (seq, limit) => eventsAfter(db, seq, limit),
    listEvents: (query) => listEvents(db, query),
    auditAfter: (seq, limit) => auditAfter(db, seq, limit),
  };
}

function transactionOf(
  tx: Tx,
  blobs: EngineBlobs,
  signer: CheckpointSigner | undefined,
): RegistryTransaction {
  return {
    ...readerOf(tx),
    blobs: blobs.within(tx),
    lock: (name, use) => tx.lock(name, use),
    putSkill: (skill) => putSkill(tx, skill),
    insertRevision: (revision) => insertRevision(tx, revision),
    markPurged: (uid, revision, at) => markPurged(tx, uid, revision, at),
    putTree: (hash, files) => putTree(tx, hash, files),
    removeTrees: (hashes) => removeTrees(tx, hashes),
    putAgent: (agent) => putAgent(tx, agent),
    putUser: (user) => putUser(tx, user),
    putGrant: (grant) => putGrant(tx, grant),
    removeGrant: (uid, grantee) => removeGrant(tx, uid, grantee),
    putToggle: (toggle) => putToggle(tx, toggle),
    putToken: (token) => putToken(tx, token),
    putApproval: (approval) => putApproval(tx, approval),
    removeApproval: (id) => removeApproval(tx, id),
    forgetExpired: (now) => forgetExpired(tx, now),
    append: (event) => appendAll(tx, [event], signer),
    appendAll: (events) => appendAll(tx, events, signer),
  };
}
