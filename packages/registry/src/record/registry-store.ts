import type { Approval } from "@skillhold/core/approval";
import type { Digest, SkillEvent, TokenKind } from "@skillhold/protocol";
import type { AgentRecord, UserRecord } from "./agent.ts";
import type { BlobStore } from "./blob-store.ts";
import type { FolderToggle, Grant, Grantee } from "./grant.ts";
import type { CurrentSkill, RegisteredSkill, Revision, TreeFile } from "./registered-skill.ts";
import type { StoredToken } from "./token.ts";

/** Where the registry keeps its rows and bytes. Failures of the engine are SkillErrors of the code STORE_FAILED. */
export interface RegistryStore extends RegistryReader {
  readonly engine: "sqlite" | "postgres";
  readonly blobs: BlobStore;
  /**
   * All or nothing, and durable when it returns. Nothing but `tx` is awaited in it: other writers wait meanwhile, and
   * it may be run again from its start when the engine could not decide between two.
   */
  transaction<T>(work: (tx: RegistryTransaction) => Promise<T>): Promise<T>;
  /** Calls back soon after a commit of anyone, this process included. A hint: the feed is the truth. */
  onCommit(listener: () => void): Promise<() => Promise<void>>;
  /**
   * A number that is another one after each commit of anyone, got in less time than a query of the feed; undefined
   * where the engine has none.
   */
  version(): Promise<number | undefined>;
  /**
   * Notes when tokens were last used, by their ids. It is written soon and outside of the log, and fails nobody: what
   * cannot be written is forgotten.
   */
  touchTokens(uses: ReadonlyMap<string, string>): void;
  /** The numbers of events that are missing, or whose hash does not follow from the one before; damage never throws. */
  listBrokenEvents(): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface RegistryReader {
  /** By id or by uid; deleted ones too. */
  findSkill(idOrUid: string): Promise<RegisteredSkill | undefined>;
  /** Ordered by id; deleted ones too. */
  listSkills(page?: ListPage): Promise<readonly RegisteredSkill[]>;
  /** The skills of these ids, or all, with what counts of them, ordered by id; deleted ones are left out. */
  listCurrent(ids?: readonly string[]): Promise<readonly CurrentSkill[]>;
  /** Deleted skills whose bytes are there, with what counted of them, ordered by id. */
  listDeleted(): Promise<readonly CurrentSkill[]>;
  findRevision(uid: string, revision: number): Promise<Revision | undefined>;
  /** The newest first; all, or a page of them. */
  listRevisions(uid: string, page?: RevisionPage): Promise<readonly Revision[]>;
  findTree(hash: Digest): Promise<readonly TreeFile[] | undefined>;
  /** All trees, in the order of their hashes, a page at a time. */
  listTrees(page: TreePage): Promise<readonly StoredTree[]>;
  /** By key or by uid; those that were taken away too. */
  findAgent(keyOrUid: string): Promise<AgentRecord | undefined>;
  /** Ordered by key, without those that were taken away; all, or a page of them. */
  listAgents(page?: AgentPage): Promise<readonly AgentRecord[]>;
  findUser(name: string): Promise<UserRecord | undefined>;
  /** Ordered by name; all, or a page of them. */
  listUsers(page?: ListPage): Promise<readonly UserRecord[]>;
  /** The grants of the skills of these uids, or all, ordered by skill, kind and key. */
  listGrants(uids?: readonly string[]): Promise<readonly Grant[]>;
  /** Those of one skill, ordered by kind and key, a page at a time. */
  listGrantPage(uid: string, page: GrantPage): Promise<readonly Grant[]>;
  findGrant(uid: string, grantee: Grantee): Promise<Grant | undefined>;
  /** What was said of skills in folders, ordered by id. */
  listToggles(): Promise<readonly FolderToggle[]>;
  /** By the hash of its secret, or by its id; revoked and expired ones too. */
  findToken(hashOrId: string): Promise<StoredToken | undefined>;
  /** Those of a kind, or all, the oldest first; revoked and expired ones too, until they are forgotten. */
  listTokens(kind?: TokenKind): Promise<readonly StoredToken[]>;
  /** Those of programs and of browsers, in the same order, a page at a time. */
  listTokenPage(page: TokenPage): Promise<readonly StoredToken[]>;
  /** One that has not expired at `now`, and was not given more than a minute after it. */
  findApproval(key: Digest, now: Date): Promise<Approval | undefined>;
  /** All such, the oldest first. */
  listApprovals(now: Date): Promise<readonly Approval[]>;
  /** What vouches for the log as it is; undefined for an empty one. */
  findHead(): Promise<AuditHead | undefined>;
  /** The last events of a type about a skill of this id, the newest first. */
  eventsAbout(skill: string, type: SkillEvent["type"], limit: number): Promise<readonly StoredEvent[]>;
  /** The events of a session, in order. */
  eventsOfSession(session: string): Promise<readonly StoredEvent[]>;
  /** The number of the last event; 0 when there is none. */
  lastEvent(): Promise<number>;
  /** Events after a number, in the order in which they were committed. */
  eventsAfter(seq: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Those that fit, within the numbers and in the order that are asked for. */
  listEvents(query: EventQuery): Promise<readonly StoredEvent[]>;
  /** The same as it is stored, for those who check it: what is no event any more does not fail it. */
  auditAfter(seq: number, limit: number): Promise<readonly AuditRow[]>;
}

export interface RegistryTransaction extends RegistryReader {
  /** What of the blobs may be awaited in here. */
  readonly blobs: Pick<BlobStore, "missing" | "remove">;
  /**
   * Waits until no other transaction holds this name; held to the end. Several are taken in order of their names. Those
   * who share a name wait only for one who holds it alone, and keep that one waiting.
   */
  lock(name: string, use?: "alone" | "shared"): Promise<void>;
  /** Inserts the skill, or replaces the row of its uid. */
  putSkill(skill: RegisteredSkill): Promise<void>;
  insertRevision(revision: Revision): Promise<void>;
  /** Marks the bytes of a revision as given up. */
  markPurged(uid: string, revision: number, at: string): Promise<void>;
  putTree(hash: Digest, files: readonly TreeFile[]): Promise<void>;
  removeTrees(hashes: readonly Digest[]): Promise<void>;
  putAgent(agent: AgentRecord): Promise<void>;
  /** Keeps the user where there is none of the name. */
  putUser(user: UserRecord): Promise<void>;
  /** Inserts the grant, or replaces the one of the same grantee. */
  putGrant(grant: Grant): Promise<void>;
  /** False when there was none. */
  removeGrant(uid: string, grantee: Grantee): Promise<boolean>;
  putToggle(toggle: FolderToggle): Promise<void>;
  /** Inserts the token, or revokes the one of its id: nothing else of a token ever changes. */
  putToken(token: StoredToken): Promise<void>;
  /** Takes the place of the one with the same key. */
  putApproval(approval: Approval): Promise<void>;
  /** Whether there was one. */
  removeApproval(id: string): Promise<boolean>;
  /** Forgets tokens and approvals that have expired; of many, some are left for the next time. */
  forgetExpired(now: Date): Promise<void>;
  /** The last thing a transaction does: from here on all writers wait, so that numbers are in the order of commits. */
  append(event: SkillEvent): Promise<number>;
  /** Several at once, in their order, as the last thing; answers with the number of the last. */
  appendAll(events: readonly SkillEvent[]): Promise<number>;
}

export interface ListPage {
  /** Go on after this id or name. */
  readonly after?: string | undefined;
  readonly limit?: number;
}

/** Of the agents of one owner, or of all. */
export interface AgentPage extends ListPage {
  readonly owner?: string | undefined;
}

export interface RevisionPage {
  /** Go on with those that were released before this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface GrantPage {
  readonly after?: Grantee | undefined;
  readonly limit: number;
}

export interface TokenPage {
  readonly after?: Pick<StoredToken, "createdAt" | "id"> | undefined;
  readonly limit: number;
}

export interface TreePage {
  readonly after?: Digest;
  readonly limit: number;
}

export interface StoredTree {
  readonly hash: Digest;
  readonly files: readonly TreeFile[];
}

/** Which events are looked for; what is left out is not looked at. */
export interface EventQuery {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly order: "oldest" | "newest";
  readonly limit: number;
  readonly skill?: string | undefined;
  readonly session?: string | undefined;
  /** Events of any of these; absent for all. */
  readonly types?: readonly string[] | undefined;
}

export interface StoredEvent {
  readonly seq: number;
  readonly event: SkillEvent;
}

/** An event as its row has it. */
export interface AuditRow {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  /** What the body says, or undefined; a NUL and half of a character are U+FFFD in it. */
  readonly skill: string | undefined;
  /** In the same way; the events of a session are found by it. */
  readonly session: string | undefined;
  /** The event as canonical JSON: what the hash is over, after the hash of the event before. */
  readonly body: string;
  readonly hash: string;
}

/** What vouches for the log up to an event: written in the transaction of that event. */
export interface AuditHead {
  /** Names the log; it was made up when the store was, and is the origin of its notes. */
  readonly origin: string;
  /** How many events there are, and the number of the last. */
  readonly seq: number;
  /** Of the chain, at the last event. */
  readonly hash: string;
  readonly frontier: Frontier;
  /** A signed note over size and root; undefined where nobody signs. */
  readonly note: string | undefined;
}

/**
 * The roots of the full trees that a log's entries make up, the largest first, as RFC 6962 builds them: all that is
 * needed to go on and to know the root, however long the log is.
 */
export interface Frontier {
  readonly size: number;
  /** Hexadecimal; one for each bit that is set in the size, from the highest down. */
  readonly roots: readonly string[];
}
