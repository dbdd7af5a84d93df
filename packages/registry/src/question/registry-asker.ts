import { type ApprovalAnswer, type ApprovalRequest, type Asker, interrupted } from "@skillhold/core/approval";
import type { AuditSink, Clock, Ids } from "@skillhold/core/port";
import { type Actor, type Limits, SkillError } from "@skillhold/protocol";
import { followEvents } from "../audit/follow.ts";
import { rejectAgentActor, systemActor } from "../ownership/ownership.ts";
import { questionLock } from "../record/lock.ts";
import type { RegistryStore, RegistryTransaction, StoredEvent } from "../record/registry-store.ts";
import { askedEvent, mayAnswer, type Question, type QuestionAnswer } from "./question.ts";
import { isExpired, QuestionIndex } from "./question-index.ts";

export interface QuestionPorts {
  readonly store: RegistryStore;
  /** Contract: writes to the log of the store, and is durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: Pick<Limits, "approvalAnswerMs">;
}

/** An index that is further behind is rebuilt. */
const MOST_MISSED = 10_000;

type Waiting = PromiseWithResolvers<ApprovalAnswer>;

/**
 * Asks for approval through the log of a registry: one process asks, and any process that shares the store
 * can answer. The log is the only source of truth, and the question of a crashed process expires.
 */
export class RegistryAsker implements Asker {
  readonly #ports: QuestionPorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #asking = new Set<Promise<unknown>>();
  readonly #feeds = new Set<Promise<void>>();
  /** Present while a question waits. */
  #feed: QuestionFeed | undefined;
  #index: QuestionIndex | undefined;
  #isClosed = false;

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  /** Waits for the answer; an aborted question is withdrawn. */
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
    rejectOthers(by);
    const { store, clock } = this.#ports;
    const index = await this.#upToDate();
    if (index.find(id) === undefined) throw notFound();
    return await store.transaction(async (tx) => {
      await lockQuestion(id, index, tx);
      const now = clock.now();
      const question = getOpen(id, index, now);
      const { answer } = given;
      const fields = answer === "approve" ? { answer, scope: given.scope, widen: given.widen } : { answer };
      await tx.append({ type: "approval.answered", at: now.toISOString(), question: id, ...fields, by });
      return question;
    });
  }

  /** Withdraws all open questions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(closed());
    await Promise.allSettled(this.#asking);
    await Promise.all(this.#feeds);
  }

  async #ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    if (this.#isClosed) throw closed();
    const question = this.#make(request);
    const waiting: Waiting = Promise.withResolvers();
    // The promise may reject before it is awaited.
    waiting.promise.catch(() => {});
    const stop = () => waiting.reject(interrupted(request));
    signal.addEventListener("abort", stop, { once: true });
    this.#waiting.set(question.id, waiting);
    try {
      if (signal.aborted) throw interrupted(request);
      await Promise.race([this.#follow(), waiting.promise]);
      return await this.#put(question, waiting);
    } finally {
      signal.removeEventListener("abort", stop);
      this.#waiting.delete(question.id);
      if (this.#waiting.size === 0) this.#stopFollowing();
    }
  }

  #make(request: ApprovalRequest): Question {
    const { clock, ids, limits } = this.#ports;
    const now = clock.now();
    const expires = new Date(now.getTime() + limits.approvalAnswerMs);
    return { id: ids.next(), askedAt: now.toISOString(), expiresAt: expires.toISOString(), request };
  }

  async #put(question: Question, { promise }: Waiting): Promise<ApprovalAnswer> {
    await this.#ports.audit.record(askedEvent(question));
    try {
      return await promise;
    } catch (error) {
      await this.#withdraw(question.id);
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
        for (const waiting of this.#waiting.values()) waiting.reject(error);
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
    if (event.type !== "approval.answered" || !mayAnswer(event.by)) return;
    const by = event.by.user;
    const waiting = this.#waiting.get(event.question);
    const { scope = "once", widen = [] } = event;
    if (event.answer === "approve") waiting?.resolve({ answer: "approve", scope, widen, by });
    if (event.answer === "deny") waiting?.resolve({ answer: "deny", by });
  }

  /** The current index. Rebuilt when it is far behind, which is faster than reading all missed events. */
  async #upToDate(): Promise<QuestionIndex> {
    const { store, clock, limits } = this.#ports;
    const known = this.#index;
    const seq = known?.seq ?? 0;
    const missed = (await store.lastEvent()) - seq;
    // A log that became shorter was reset to an earlier state.
    if (known === undefined || missed < 0 || missed > MOST_MISSED) {
      this.#index = await QuestionIndex.open(
        store,
        new Date(clock.now().getTime() - limits.approvalAnswerMs),
      );
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

function rejectOthers(by: Actor): void {
  rejectAgentActor(by);
  if (mayAnswer(by)) return;
  throw new SkillError("POLICY_DENIED", "Only administrators can answer approval questions.", {
    hint: "Ask an administrator.",
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
