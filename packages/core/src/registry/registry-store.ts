import type { Digest, SkillEvent } from "@skillhold/protocol";
import type { BlobStore } from "./blob-store.ts";
import type { CurrentSkill, RegisteredSkill, Revision, TreeFile } from "./registered-skill.ts";

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
  close(): Promise<void>;
}

export interface RegistryReader {
  /** By id or by uid; deleted ones too. */
  findSkill(idOrUid: string): Promise<RegisteredSkill | undefined>;
  /** Ordered by id; deleted ones too. */
  listSkills(page?: Page): Promise<readonly RegisteredSkill[]>;
  /** The skills of these ids, or all, with what counts of them, ordered by id; deleted ones are left out. */
  listCurrent(ids?: readonly string[]): Promise<readonly CurrentSkill[]>;
  findRevision(uid: string, revision: number): Promise<Revision | undefined>;
  /** The newest first. */
  listRevisions(uid: string): Promise<readonly Revision[]>;
  findTree(hash: Digest): Promise<readonly TreeFile[] | undefined>;
  /** All trees, in the order of their hashes, a page at a time. */
  listTrees(page: TreePage): Promise<readonly StoredTree[]>;
  /** The number of the last event; 0 when there is none. */
  lastEvent(): Promise<number>;
  /** Events after a number, in the order in which they were committed. */
  eventsAfter(seq: number, limit: number): Promise<readonly StoredEvent[]>;
}

export interface RegistryTransaction extends RegistryReader {
  /** Waits until no other transaction holds this name; held to the end. Several are taken in order of their names. */
  lock(name: string): Promise<void>;
  /** Inserts the skill, or replaces the row of its uid. */
  putSkill(skill: RegisteredSkill): Promise<void>;
  insertRevision(revision: Revision): Promise<void>;
  /** Marks the bytes of a revision as given up. */
  markPurged(uid: string, revision: number, at: string): Promise<void>;
  putTree(hash: Digest, files: readonly TreeFile[]): Promise<void>;
  removeTrees(hashes: readonly Digest[]): Promise<void>;
  /** The last thing a transaction does: from here on all writers wait, so that numbers are in the order of commits. */
  append(event: SkillEvent): Promise<number>;
}

export interface Page {
  /** Go on after this id. */
  readonly after?: string;
  readonly limit?: number;
}

export interface TreePage {
  readonly after?: Digest;
  readonly limit: number;
}

export interface StoredTree {
  readonly hash: Digest;
  readonly files: readonly TreeFile[];
}

export interface StoredEvent {
  readonly seq: number;
  readonly event: SkillEvent;
}
