import type { Approval } from "@skillhold/core/approval";
import type { SearchStore } from "@skillhold/core/library";
import type { VectorStore } from "@skillhold/core/semantic";
import type { Actor, Digest, SkillEvent, TokenKind } from "@skillhold/protocol";
import type { EvalReportBody } from "@skillhold/protocol/http";
import type { GuardReport, Waiver } from "@skillhold/skill/guard";
import type { AgentRecord, UserRecord } from "./agent.ts";
import type { BlobStore } from "./blob-store.ts";
import type { EvalPage, EvalResult } from "./eval-result.ts";
import type { FolderToggle, Grant, Grantee, PendingGrant } from "./grant.ts";
import type { PasskeyRecord, SignInAttempt, SsoIdentity } from "./passkey.ts";
import type { Proposal, ProposalQuery } from "./proposal.ts";
import type { CurrentSkill, RegisteredSkill, Revision, TreeFile } from "./registered-skill.ts";
import type { RunOutput } from "./run-output.ts";
import type { StoredToken } from "./token.ts";
import type { Delivery, DeliveryPage, Webhook } from "./webhook.ts";
import type { WorkspaceRecord } from "./workspace.ts";

/** Stores the registry's rows and blobs. Engine failures are SkillErrors with the code STORE_FAILED. */
export interface RegistryStore extends RegistryReader {
  readonly engine: "sqlite" | "postgres";
  readonly blobs: BlobStore;
  /** Vectors of the search, which can always be computed again. */
  readonly vectors: VectorStore;
  /** The search index that all processes on the store share. */
  readonly searchIndex: SearchStore;
  /**
   * Atomic, and durable when it returns. `work` must await only `tx`: it blocks other writers, and the engine
   * may run it again from the start after a conflict.
   */
  transaction<T>(work: (tx: RegistryTransaction) => Promise<T>): Promise<T>;
  /**
   * Calls back soon after any commit, including those of this process. Only a hint: read the event feed for
   * the state.
   */
  onCommit(listener: () => void): Promise<() => Promise<void>>;
  /**
   * A number that changes with every commit and is cheaper to read than the feed; undefined for an engine without
   * versions.
   */
  version(): Promise<number | undefined>;
  /**
   * Records when tokens were last used, by id. Written soon and outside the log; a failed write is dropped
   * without an error.
   */
  touchTokens(uses: ReadonlyMap<string, string>): void;
  /** The free space of the disk that the store writes to; undefined if another machine has it. */
  freeBytes(): Promise<number | undefined>;
  /** Throws if the log accepts no events from this process. */
  checkLog(): Promise<void>;
  /** The numbers of events that are missing or break the hash chain. Damage does not throw. */
  listBrokenEvents(): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface RegistryReader {
  /** By id or uid, including deleted skills. */
  findSkill(idOrUid: string): Promise<RegisteredSkill | undefined>;
  /** Ordered by id, including deleted skills. */
  listSkills(page?: ListPage): Promise<readonly RegisteredSkill[]>;
  /**
   * The skills with these ids, or all, or one page of all, with their current revisions, ordered by id. Excludes
   * deleted skills.
   */
  listCurrent(ids?: readonly string[], page?: ListPage): Promise<readonly CurrentSkill[]>;
  /** Deleted skills that still have their bytes, with their last current revisions, ordered by id. */
  listDeleted(): Promise<readonly CurrentSkill[]>;
  /** The ids of enabled skills that have dependencies, or are known to lack some, in order. */
  listDependent(): Promise<readonly string[]>;
  findRevision(uid: string, revision: number): Promise<Revision | undefined>;
  /** Newest first; all, or one page. */
  listRevisions(uid: string, page?: RevisionPage): Promise<readonly Revision[]>;
  findTree(hash: Digest): Promise<readonly TreeFile[] | undefined>;
  /** One page of trees, ordered by hash. */
  listTrees(page: TreePage): Promise<readonly StoredTree[]>;
  /** By key or uid, including removed agents. */
  findAgent(keyOrUid: string): Promise<AgentRecord | undefined>;
  /** Ordered by key, without removed agents; all, or one page. */
  listAgents(page?: AgentPage): Promise<readonly AgentRecord[]>;
  findUser(name: string): Promise<UserRecord | undefined>;
  /** Ordered by name; all, or one page. */
  listUsers(page?: ListPage): Promise<readonly UserRecord[]>;
  /** By id or by the authenticator's credential id. */
  findPasskey(idOrCredential: string): Promise<PasskeyRecord | undefined>;
  findIdentity(issuer: string, subject: string): Promise<SsoIdentity | undefined>;
  /** Of one user, oldest first. */
  listPasskeys(user: string): Promise<readonly PasskeyRecord[]>;
  /** The grants of the skills with these uids, or all grants, ordered by skill, kind and key. */
  listGrants(uids?: readonly string[]): Promise<readonly Grant[]>;
  /** One page of a skill's grants, ordered by kind and key. */
  listGrantPage(uid: string, page: GrantPage): Promise<readonly Grant[]>;
  findGrant(uid: string, grantee: Grantee): Promise<Grant | undefined>;
  /** The named approvers of the skill with this uid, ordered by name. */
  listApprovers(uid: string): Promise<readonly string[]>;
  /** Pending grants, ordered by skill and agent. */
  listPendingGrants(query: PendingGrantQuery): Promise<readonly PendingGrant[]>;
  findPendingGrant(uid: string, agent: string): Promise<PendingGrant | undefined>;
  /** The toggles of skills in folders, ordered by id. */
  listToggles(): Promise<readonly FolderToggle[]>;
  /** By secret hash or id, including revoked and expired tokens. */
  findToken(hashOrId: string): Promise<StoredToken | undefined>;
  /**
   * The tokens of one kind, or all, oldest first. Includes revoked and expired tokens until they are deleted.
   */
  listTokens(kind?: TokenKind): Promise<readonly StoredToken[]>;
  /** One page of API and session tokens, oldest first. */
  listTokenPage(page: TokenPage): Promise<readonly StoredToken[]>;
  /** An approval that has not expired at `now` and was not given more than a minute after it. */
  findApproval(key: Digest, now: Date): Promise<Approval | undefined>;
  /** All approvals that are valid at `now`, oldest first. */
  listApprovals(now: Date): Promise<readonly Approval[]>;
  /** The signed state of the log; undefined for an empty log. */
  findHead(): Promise<AuditHead | undefined>;
  /** The latest events of one type about a skill, newest first. */
  eventsAbout(skill: string, type: SkillEvent["type"], limit: number): Promise<readonly StoredEvent[]>;
  /** The events of a session, in order. */
  eventsOfSession(session: string): Promise<readonly StoredEvent[]>;
  /** The number of the last event; 0 for an empty log. */
  lastEvent(): Promise<number>;
  /** Events after a number, in commit order. */
  eventsAfter(seq: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The events that match the query. */
  listEvents(query: EventQuery): Promise<readonly ListedEvent[]>;
  /** How often agents used skills since a moment: loads, runs and tool calls. */
  countUses(from: string): Promise<readonly AgentUses[]>;
  /** The raw rows after a number, for verification. Rows that are not valid events do not fail. */
  auditAfter(seq: number, limit: number): Promise<readonly AuditRow[]>;
  /** The changes of the keys that sign the log, in order. */
  auditKeys(): Promise<readonly AuditKeyChange[]>;
  /** The number of the last pruned entry; 0 for none. */
  lastPruned(): Promise<number>;
  /** The guard's report on a tree, without waivers; undefined when the tree was never inspected. */
  findGuardReport(hash: Digest): Promise<GuardReport | undefined>;
  /** All waivers of a skill by its id, the oldest first; expired ones too. */
  listWaivers(id: string): Promise<readonly Waiver[]>;
  /** By the key of the agent. The agent may be removed. */
  findWorkspace(agent: string): Promise<WorkspaceRecord | undefined>;
  /** Ordered by key, including those of removed agents. */
  listWorkspaces(): Promise<readonly WorkspaceRecord[]>;
  findEval(id: string): Promise<EvalResult | undefined>;
  /** The eval results of the skill with this uid, newest first. */
  listEvals(uid: string, page: EvalPage): Promise<readonly Pick<EvalResult, "id" | "addedAt" | "summary">[]>;
  /** The result with an equal report. */
  findSameEval(uid: string, report: EvalReportBody): Promise<EvalResult | undefined>;
  findProposal(id: string): Promise<Proposal | undefined>;
  /** Newest first. */
  listProposals(query: ProposalQuery): Promise<readonly Proposal[]>;
  /** The kept outputs of a session's runs, in order. */
  listRunOutputs(session: string): Promise<readonly RunOutput[]>;
  findWebhook(id: string): Promise<Webhook | undefined>;
  /** Oldest first. */
  listWebhooks(): Promise<readonly Webhook[]>;
  findDelivery(id: string): Promise<Delivery | undefined>;
  /** Newest first. */
  listDeliveries(page: DeliveryPage): Promise<readonly Delivery[]>;
  /** Pending deliveries of a webhook, the earliest due time first. */
  listPendingDeliveries(webhook: string, limit: number): Promise<readonly Delivery[]>;
}

export interface RegistryTransaction extends RegistryReader {
  /** The blob operations that a transaction may await. */
  readonly blobs: Pick<BlobStore, "missing" | "remove">;
  /**
   * Waits for the lock and holds it until the transaction ends. Take several locks in order of their names.
   * Shared holders wait only for an exclusive holder, and the reverse.
   */
  lock(name: string, use?: "alone" | "shared"): Promise<void>;
  /** Inserts the skill or replaces the row with its uid. */
  putSkill(skill: RegisteredSkill): Promise<void>;
  insertRevision(revision: Revision): Promise<void>;
  /** Marks the bytes of a revision as purged. */
  markPurged(uid: string, revision: number, at: string): Promise<void>;
  putTree(hash: Digest, files: readonly TreeFile[]): Promise<void>;
  removeTrees(hashes: readonly Digest[]): Promise<void>;
  putAgent(agent: AgentRecord): Promise<void>;
  /** Inserts the user unless the name exists. */
  putUser(user: Pick<UserRecord, "name" | "displayName" | "createdAt">): Promise<void>;
  /** Sets the role and the state of an existing user. */
  setUser(user: Pick<UserRecord, "name" | "role" | "inactiveSince">): Promise<void>;
  /** Inserts the passkey, or sets the counter and the last use of the one with its id. */
  putPasskey(passkey: PasskeyRecord): Promise<void>;
  removePasskey(id: string): Promise<void>;
  insertIdentity(identity: SsoIdentity): Promise<void>;
  /** Inserts the attempt, deletes expired ones, and keeps only the newest of the others. */
  putAttempt(attempt: SignInAttempt, bounds: { readonly now: Date; readonly most: number }): Promise<void>;
  /** Removes and returns the attempt; only one of several concurrent calls gets it. */
  takeAttempt(id: string): Promise<SignInAttempt | undefined>;
  /** Inserts the grant or replaces the one of the same grantee. */
  putGrant(grant: Grant): Promise<void>;
  /** Returns false if there was no such grant. */
  removeGrant(uid: string, grantee: Grantee): Promise<boolean>;
  /** Replaces the named approvers of a skill. Contract: the skill is locked. */
  putApprovers(uid: string, users: readonly string[]): Promise<void>;
  /** Inserts the pending grant or replaces the one of the same skill and agent. */
  putPendingGrant(grant: PendingGrant): Promise<void>;
  /** Returns false if there was no such pending grant. */
  removePendingGrant(uid: string, agent: string): Promise<boolean>;
  putToggle(toggle: FolderToggle): Promise<void>;
  /** Inserts the token or revokes the one with its id; no other field ever changes. */
  putToken(token: StoredToken): Promise<void>;
  /** Sets the expiry of a session that is neither revoked nor expired, unless it is later already. */
  extendSession(id: string, expiresAt: string, now: Date): Promise<void>;
  /** Replaces the approval with the same key. */
  putApproval(approval: Approval): Promise<void>;
  /** Returns whether the approval existed. */
  removeApproval(id: string): Promise<boolean>;
  /** Inserts the guard's report on a tree, or replaces it. */
  putGuardReport(hash: Digest, report: GuardReport, at: string): Promise<void>;
  putWaiver(id: string, waiver: Waiver): Promise<void>;
  /** Inserts the workspace or replaces the row of its agent. */
  putWorkspace(workspace: WorkspaceRecord): Promise<void>;
  putEval(result: EvalResult): Promise<void>;
  /** Removes all but the newest eval results of a skill. */
  trimEvals(uid: string, keep: number): Promise<void>;
  /** Removes the eval results about one content of a skill. */
  removeEvals(uid: string, treeHash: Digest): Promise<void>;
  /** Inserts the proposal or replaces the one with its id. Contract: the skill is locked. */
  putProposal(proposal: Proposal): Promise<void>;
  /** Inserts the output of a run once. */
  putRunOutput(output: RunOutput): Promise<void>;
  /** Removes outputs of runs before a time, a bounded number per call. Returns how many. */
  pruneRunOutputs(before: string): Promise<number>;
  /** Inserts the webhook or replaces the one with its id. Contract: the webhooks are locked. */
  putWebhook(webhook: Webhook): Promise<void>;
  /** Removes a webhook with its deliveries. */
  removeWebhook(id: string): Promise<void>;
  /** Inserts the delivery or replaces the one with its id. Contract: the webhooks are locked. */
  putDelivery(delivery: Delivery): Promise<void>;
  /** Removes all but the newest deliveries of a webhook. Pending ones stay. */
  trimDeliveries(webhook: string, keep: number): Promise<void>;
  /** Deletes expired tokens and approvals, a bounded number per call. */
  forgetExpired(now: Date): Promise<void>;
  /**
   * Must be the last step of a transaction: all writers wait from here on, so that event numbers follow
   * commit order.
   */
  append(event: SkillEvent): Promise<number>;
  /** Appends several events in order, as the last step; returns the last number. */
  appendAll(events: readonly SkillEvent[]): Promise<number>;
  /**
   * Prunes the due entries of one batch after an entry, and records it. Throws if one of them is damaged. Must be the
   * last step of a transaction.
   */
  pruneLog(step: PruneStep): Promise<PrunePlan>;
  /** Adds or revokes a key of the log, endorsed by this machine's key. Needs a signer. */
  changeAuditKey(change: Omit<AuditKeyChange["event"], "type" | "endorsement">): Promise<number>;
  /** Accepts the log as it is, with this machine's key as its only key. Needs a signer. */
  adoptLog(at: string): Promise<number>;
  /** Throws if the log accepts no events from this writer, for example because its key is not registered. */
  checkLog(): Promise<void>;
}

export interface ListPage {
  /** Continue after this id or name. */
  readonly after?: string | undefined;
  readonly limit?: number;
}

/** A page of one owner's agents, or of all. */
export interface AgentPage extends ListPage {
  readonly owner?: string | undefined;
}

export interface RevisionPage {
  /** Continue with revisions older than this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface PendingGrantQuery {
  /** Only those that this user requested, or for agents of this user; all without it. */
  readonly user?: string | undefined;
  /** Only those for this agent. */
  readonly agent?: string | undefined;
  /** Continue after this one. */
  readonly after?: Pick<PendingGrant, "skill" | "agent"> | undefined;
  readonly limit: number;
}

export interface GrantPage {
  readonly after?: Grantee | undefined;
  readonly limit: number;
}

export interface TokenPage {
  readonly after?: Pick<StoredToken, "createdAt" | "id"> | undefined;
  readonly limit: number;
  /** Only the tokens of this user and those that the user issued for agents. */
  readonly of?: string | undefined;
}

export interface TreePage {
  readonly after?: Digest;
  readonly limit: number;
}

export interface StoredTree {
  readonly hash: Digest;
  readonly files: readonly TreeFile[];
}

/** Filters for events; an absent field matches all. */
export interface EventQuery {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly order: "oldest" | "newest";
  readonly limit: number;
  readonly skill?: string | undefined;
  /** Only events that name a skill which this user owns or manages by a grant. */
  readonly managedBy?: string | undefined;
  readonly session?: string | undefined;
  /** The agent that acted, or that the event is about. */
  readonly agent?: string | undefined;
  /** The user who acted or for whom the agent acted. */
  readonly person?: string | undefined;
  /** The first moment, as ISO text. */
  readonly from?: string | undefined;
  /** The moment after the last one. */
  readonly to?: string | undefined;
  /** Matches events of any of these types. */
  readonly types?: readonly string[] | undefined;
}

export interface StoredEvent {
  readonly seq: number;
  readonly event: SkillEvent;
  /** The number of pruned entries directly before it, in a feed. */
  readonly pruned?: number;
}

/** An event with its actor, which may be known only from the session. */
export interface ListedEvent extends StoredEvent {
  readonly agent?: string;
  readonly person?: string;
}

/** Entries of the log by number, both ends included. */
export interface SeqRange {
  readonly first: number;
  readonly last: number;
}

export interface PruneStep {
  readonly after: number;
  /** Entries older than this are due. */
  readonly before: string;
  readonly at: string;
  readonly by: Actor;
}

/** The due entries of one batch. */
export interface PrunePlan {
  readonly ranges: readonly SeqRange[];
  readonly count: number;
  /** The last entry that is old, if later ones can be old, too. */
  readonly next: number | undefined;
}

/** The uses of one skill by one agent. */
export interface AgentUses {
  readonly agent: string;
  readonly skill: string;
  readonly count: number;
}

/** An event as stored in its row. A pruned entry has only its number and its hash. */
export interface AuditRow {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  /** The skill in the body, or undefined. NUL and lone surrogates are replaced by U+FFFD. */
  readonly skill: string | undefined;
  /** The session in the body, in the same form. Used to find the events of a session. */
  readonly session: string | undefined;
  /** The actor by which events are filtered, from the body or from the session. */
  readonly agent?: string;
  readonly person?: string;
  /** The event as canonical JSON. The hash covers this and the hash of the previous event. */
  readonly body: string;
  readonly hash: string;
}

/** A change of the log's keys, with its number. */
export interface AuditKeyChange {
  readonly seq: number;
  readonly event: Extract<SkillEvent, { readonly type: "audit.key_changed" }>;
}

/** The state of the log after its last event, written in the same transaction. */
export interface AuditHead {
  /** Identifies the log. Generated with the store, and the origin of its checkpoints. */
  readonly origin: string;
  /** The number of events, which is also the number of the last one. */
  readonly seq: number;
  /** The chain hash of the last event. */
  readonly hash: string;
  readonly frontier: Frontier;
  /** A signed checkpoint of size and root; undefined without a signer. */
  readonly note: string | undefined;
}

/**
 * The roots of the full subtrees of the log, largest first, as in RFC 6962. They are enough to append entries
 * and to compute the root of a log of any length.
 */
export interface Frontier {
  readonly size: number;
  /** Hexadecimal; one root for each bit set in the size, highest first. */
  readonly roots: readonly string[];
}
