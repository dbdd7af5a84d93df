import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Asker,
  approvalPending,
  interrupted,
  requestKey,
} from "@skillhold/core/approval";
import { type AuditSink, type Clock, type Ids, systemTimers, type Timers } from "@skillhold/core/port";
import { type Actor, type Limits, SkillError } from "@skillhold/protocol";
import { followEvents } from "../audit/follow.ts";
import { isOverseer, Oversight } from "../ownership/oversight.ts";
import { rejectAgentActor, systemActor } from "../ownership/ownership.ts";
import { questionLock } from "../record/lock.ts";
import type { RegistryStore, RegistryTransaction, StoredEvent } from "../record/registry-store.ts";
import {
  answerOf,
  askedEvent,
  contentOf,
  mayAnswer,
  type Question,
  type QuestionAnswer,
} from "./question.ts";
import { isExpired, QuestionIndex } from "./question-index.ts";

export interface QuestionPorts {
  readonly store: RegistryStore;
  /** Contract: writes to the log of the store, and is durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: Pick<Limits, "approvalWaitMs" | "approvalOpenMs" | "approvalMs">;
  readonly timers?: Pick<Timers, "after">;
  /** The page on which a person can answer, once it is known. */
  readonly link?: () => string | undefined;
}

/** An index that is further behind is rebuilt. */
const MOST_MISSED = 10_000;

type Waiting = PromiseWithResolvers<ApprovalAnswer>;

/**
 * Asks for approval through the log of a registry: one process asks, and any process that shares the store
 * can answer. The log is the only source of truth, and the question of a crashed process expires.
 *
 * A call waits for a limited time. After that it fails with APPROVAL_PENDING, and the question stays open: an equal
 * request joins it, or uses its answer. An answer is used once, by one run.
 */
export class RegistryAsker implements Asker {
  readonly #ports: QuestionPorts;
  readonly #waiting = new Map<string, Set<Waiting>>();
  /** Questions that stay open although no call waits for them. */
  readonly #left = new Set<string>();
  readonly #asking = new Set<Promise<unknown>>();
  readonly #feeds = new Set<Promise<void>>();
  /** Present while a question waits. */
  #feed: QuestionFeed | undefined;
  #index: QuestionIndex | undefined;
  #isClosed = false;

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  /** Waits for the answer. A question is withdrawn when the only call that waited for it is aborted. */
  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const asking = this.#ask(request, signal);
    this.#asking.add(asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(asking);
    }
  }

  /** The open questions of all processes, oldest first. */
  async listQuestions(): Promise<readonly Question[]> {
    const index = await this.#upToDate();
    return index.listOpen(this.#ports.clock.now());
  }

  /** Answers a question of any process. Only the first of two concurrent answers is accepted. */
  async answerQuestion(id: string, given: QuestionAnswer, { by }: { readonly by: Actor }): Promise<Question> {
    rejectAgentActor(by);
    if (!isOverseer(by)) throw notAnswerable();
    const { store, clock } = this.#ports;
    const index = await this.#upToDate();
    if (index.find(id) === undefined) throw notFound();
    return await store.transaction(async (tx) => {
      await lockQuestion(id, index, tx);
      const now = clock.now();
      const question = await getAnswerable(id, given, by, { index, tx, now });
      const { answer } = given;
      const fields = answer === "approve" ? { answer, scope: given.scope, widen: given.widen } : { answer };
      const about = { question: id, content: contentOf(question.request) };
      await tx.append({ type: "approval.answered", at: now.toISOString(), ...about, ...fields, by });
      return question;
    });
  }

  /** Withdraws all open questions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectAll(closed());
    await Promise.allSettled(this.#asking);
    await Promise.all(this.#feeds);
  }

  async #ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const key = requestKey(request);
    for (;;) {
      if (this.#isClosed) throw closed();
      if (signal.aborted) throw interrupted(request);
      const { clock, limits } = this.#ports;
      const index = await this.#upToDate();
      const now = clock.now();
      const earlier = index.findUnused(key, new Date(now.getTime() - limits.approvalMs));
      const kept = earlier === undefined ? undefined : await this.#use(earlier, request);
      if (kept !== undefined) return kept;
      const open = index.findOpen(key, now);
      const { id, answer } = await this.#await(open ?? this.#make(request), open === undefined, signal);
      const isFirst = (await this.#use(id, request)) !== undefined;
      // Another run used the one-time answer.
      if (isFirst || answer.answer === "deny" || answer.scope === "content") return answer;
    }
  }

  /** Waits for the answer to a question, which is new or already open. */
  async #await(
    question: Question,
    isNew: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly answer: ApprovalAnswer }> {
    const { request, id } = question;
    const { limits, timers = systemTimers, link } = this.#ports;
    const waiting: Waiting = Promise.withResolvers();
    // The promise may reject before it is awaited.
    waiting.promise.catch(() => {});
    const stop = () => waiting.reject(interrupted(request));
    const leave = () => {
      this.#left.add(id);
      waiting.reject(approvalPending(request, link?.()));
    };
    const cancel = timers.after(limits.approvalWaitMs, leave, { isBackground: true });
    signal.addEventListener("abort", stop, { once: true });
    const others = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, others.add(waiting));
    try {
      if (signal.aborted) throw interrupted(request);
      await Promise.race([this.#follow(), waiting.promise]);
      // The answer may have come before this call followed the log.
      if (!isNew) await this.#answerIfClosed(id, waiting);
      return { id, answer: isNew ? await this.#put(question, waiting) : await waiting.promise };
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
      others.delete(waiting);
      if (others.size === 0) this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#stopFollowing();
    }
  }

  async #answerIfClosed(id: string, waiting: Waiting): Promise<void> {
    const entry = (await this.#upToDate()).find(id);
    if (entry?.end === undefined) return;
    if (entry.unused !== undefined) waiting.resolve(entry.unused.answer);
    else waiting.reject(closed());
  }

  /** Marks an answer as used. Undefined when there is none or another run used it. */
  async #use(id: string, request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
    const { store, clock } = this.#ports;
    const index = await this.#upToDate();
    return await store.transaction(async (tx) => {
      await lockQuestion(id, index, tx);
      const entry = index.find(id);
      if (entry?.end === undefined || entry.unused === undefined) return undefined;
      const at = clock.now().toISOString();
      const { session, run } = request;
      const content = contentOf(request);
      await tx.append({ type: "approval.used", at, question: id, content, session, run });
      return entry.unused.answer;
    });
  }

  #rejectAll(error: unknown): void {
    for (const waiting of [...this.#waiting.values()].flatMap((each) => [...each])) waiting.reject(error);
  }

  #make(request: ApprovalRequest): Question {
    const { clock, ids, limits } = this.#ports;
    const now = clock.now();
    const expires = new Date(now.getTime() + limits.approvalOpenMs);
    return { id: ids.next(), askedAt: now.toISOString(), expiresAt: expires.toISOString(), request };
  }

  async #put(question: Question, { promise }: Waiting): Promise<ApprovalAnswer> {
    await this.#ports.audit.record(askedEvent(question));
    try {
      return await promise;
    } catch (error) {
      const isAlone = (this.#waiting.get(question.id)?.size ?? 0) <= 1;
      if (isAlone && !this.#left.has(question.id)) await this.#withdraw(question.id);
      throw error;
    }
  }

  /** Closes a question. If that fails, the question expires. */
  async #withdraw(id: string): Promise<void> {
    const { store, clock } = this.#ports;
    try {
      const index = await this.#upToDate();
      await store.transaction(async (tx) => {
        await lockQuestion(id, index, tx);
        const entry = index.find(id);
        if (entry === undefined || entry.end !== undefined) return;
        const at = clock.now().toISOString();
        await tx.append({
          type: "approval.answered",
          at,
          question: id,
          content: contentOf(entry.question.request),
          answer: "withdrawn",
          by: systemActor,
        });
      });
    } catch {
      // The caller gets the original error.
    }
  }

  /** Started before the question is recorded, so that its answer is not missed. */
  async #follow(): Promise<void> {
    this.#feed ??= this.#startFeed();
    await this.#feed.started;
  }

  #startFeed(): QuestionFeed {
    const feed = new QuestionFeed({
      store: this.#ports.store,
      start: async () => (await this.#upToDate()).seq,
      onEvent: (stored) => this.#take(stored),
      onFailure: (error) => {
        if (this.#feed === feed) this.#feed = undefined;
        this.#rejectAll(error);
      },
    });
    this.#feeds.add(feed.ended);
    void feed.ended.then(() => this.#feeds.delete(feed.ended));
    return feed;
  }

  #stopFollowing(): void {
    this.#feed?.stop();
    this.#feed = undefined;
  }

  #take(stored: StoredEvent): void {
    this.#index?.apply(stored);
    const { event } = stored;
    if (event.type !== "approval.answered") return;
    const answer = answerOf(event);
    if (answer !== undefined && !isOverseer(event.by)) return;
    this.#left.delete(event.question);
    for (const waiting of this.#waiting.get(event.question) ?? [])
      if (answer === undefined) waiting.reject(closed());
      else waiting.resolve(answer);
  }

  /** The current index. Rebuilt when it is far behind, which is faster than reading all missed events. */
  async #upToDate(): Promise<QuestionIndex> {
    const { store, clock, limits } = this.#ports;
    const known = this.#index;
    const seq = known?.seq ?? 0;
    const missed = (await store.lastEvent()) - seq;
    // A log that became shorter was reset to an earlier state.
    if (known === undefined || missed < 0 || missed > MOST_MISSED) {
      const oldest = clock.now().getTime() - limits.approvalOpenMs - limits.approvalMs;
      this.#index = await QuestionIndex.open(store, new Date(oldest));
      return this.#index;
    }
    await known.catchUp(store);
    return known;
  }
}

/** Until the transaction ends, only this caller can answer the question, and the index is current. */
async function lockQuestion(id: string, index: QuestionIndex, tx: RegistryTransaction): Promise<void> {
  await tx.lock(questionLock(id));
  await index.catchUp(tx);
}

function getOpen(id: string, index: QuestionIndex, now: Date): Question {
  const entry = index.find(id);
  if (entry === undefined) throw notFound();
  if (entry.end === "withdrawn")
    throw conflict(
      id,
      "The question was withdrawn by its requester.",
      "Close the question; no answer is needed.",
    );
  if (entry.end !== undefined)
    throw conflict(id, "The question was already answered.", "Only the first answer is accepted.");
  if (!isExpired(entry, now.getTime())) return entry.question;
  throw conflict(id, "The question has expired.", "Run the request again to ask a new question.");
}

interface Answering {
  readonly index: QuestionIndex;
  readonly tx: RegistryTransaction;
  readonly now: Date;
}

/** The open question, for an actor who may give this answer. A question that the actor may not see does not exist. */
async function getAnswerable(
  id: string,
  given: QuestionAnswer,
  by: Actor,
  { index, tx, now }: Answering,
): Promise<Question> {
  const oversight = new Oversight(tx);
  const entry = index.find(id);
  if (entry === undefined) throw notFound();
  if (entry.end !== undefined && by.role !== "admin") throw notFound();
  if (entry.end === undefined) {
    const { request } = entry.question;
    if (!(await oversight.maySee(contentOf(request), by))) throw notFound();
    if (!(await mayAnswer(request, by, oversight))) throw notAnswerable();
  }
  if (given.answer === "approve" && given.widen?.includes("everyone") === true && by.role !== "admin")
    throw new SkillError("POLICY_DENIED", "Only administrators can approve for every agent and user.", {
      hint: "Approve for the requester, or ask an administrator.",
    });
  return getOpen(id, index, now);
}

function notAnswerable(): SkillError {
  return new SkillError("POLICY_DENIED", "You are not an approver of this skill.", {
    hint: "Ask an administrator or an approver of the skill.",
  });
}

function notFound(): SkillError {
  return new SkillError("QUESTION_NOT_FOUND", "The question does not exist.");
}

function conflict(question: string, message: string, hint: string): SkillError {
  return new SkillError("CONFLICT", message, { hint, details: { question } });
}

function closed(): SkillError {
  return new SkillError("INTERRUPTED", "The approval request was canceled before it was answered.");
}

interface QuestionFeedPorts {
  readonly store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;
  /** The number of the last event to skip. */
  readonly start: () => Promise<number>;
  readonly onEvent: (stored: StoredEvent) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Delivers log events until it is stopped or fails. */
class QuestionFeed {
  readonly #stopping = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  /** Resolves when all work has ended; never rejects. */
  readonly ended: Promise<void>;

  constructor(ports: QuestionFeedPorts) {
    this.ended = this.#run(ports);
  }

  /** Resolves when all later commits will be delivered, or when the feed has failed. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run({ store, start, onEvent, onFailure }: QuestionFeedPorts): Promise<void> {
    const { signal } = this.#stopping;
    try {
      const seq = await start();
      this.#started.resolve();
      for await (const stored of followEvents(seq, { signal }, store)) onEvent(stored);
    } catch (error) {
      onFailure(error);
    } finally {
      this.#started.resolve();
    }
  }
}
