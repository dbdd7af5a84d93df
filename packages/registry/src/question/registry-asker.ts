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
  /** Contract: it writes to the log of the store, and is durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: Pick<Limits, "approvalAnswerMs">;
}

/** A index that missed more is made anew. */
const MOST_MISSED = 10_000;

type Waiting = PromiseWithResolvers<ApprovalAnswer>;

/**
 * Asks through the log of a registry: a question is put by one process, and answered at any other that shares the
 * store. The log alone says what was asked and answered. Who dies leaves a question that expires.
 */
export class QuestionDesk implements Asker {
  readonly #ports: QuestionPorts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #asking = new Set<Promise<unknown>>();
  readonly #feeds = new Set<Promise<void>>();
  /** There as long as someone waits. */
  #feed: QuestionFeed | undefined;
  #index: QuestionIndex | undefined;
  #isClosed = false;

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  /** Waits for the answer; one that is called off is withdrawn. */
  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const asking = this.#ask(request, signal);
    this.#asking.add(asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(asking);
    }
  }

  /** What waits for an answer now, in whichever process; the oldest first. */
  async listQuestions(): Promise<readonly Question[]> {
    const index = await this.#upToDate();
    return index.listOpen(this.#ports.clock.now());
  }

  /** Answers a question, in whichever process it was asked. Of two answers at the same moment, one counts. */
  async answerQuestion(id: string, given: QuestionAnswer, { by }: { readonly by: Actor }): Promise<Question> {
    rejectOthers(by);
    const { store, clock } = this.#ports;
    const index = await this.#upToDate();
    if (index.find(id) === undefined) throw notFound();
    return await store.transaction(async (tx) => {
      await lockQuestion(id, index, tx);
      const now = clock.now();
      const question = getOpen(id, index, now);
      const said = given.answer === "approve" ? { answer: given.answer, scope: given.scope } : given;
      await tx.append({ type: "approval.answered", at: now.toISOString(), question: id, ...said, by });
      return question;
    });
  }

  /** Gives up all that waits, and withdraws it. */
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
    // It may fail before it is waited for, and is then no less a failure.
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

  /** Takes a question off all lists. When it cannot, the question expires. */
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
      // Whoever asked is told why it was given up; this changes nothing about that.
    }
  }

  /** Before a question is put, so that its answer is not missed. */
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
    if (event.answer === "approve") waiting?.resolve({ answer: "approve", scope: event.scope ?? "once", by });
    if (event.answer === "deny") waiting?.resolve({ answer: "deny", by });
  }

  /** The index as of now. After a long rest it is made anew: that takes less than all that it missed. */
  async #upToDate(): Promise<QuestionIndex> {
    const { store, clock, limits } = this.#ports;
    const known = this.#index;
    const seq = known?.seq ?? 0;
    const missed = (await store.lastEvent()) - seq;
    // A log that is shorter than before was put back to an earlier state.
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

/** From here to the end of the transaction nobody else answers it, and the index has all that was said to it. */
async function lockQuestion(id: string, index: QuestionIndex, tx: RegistryTransaction): Promise<void> {
  await tx.lock(questionLock(id));
  await index.catchUp(tx);
}

function getOpen(id: string, index: QuestionIndex, now: Date): Question {
  const entry = index.find(id);
  if (entry === undefined) throw notFound();
  if (entry.end === "withdrawn")
    throw conflict(id, "Whoever asked this gave up.", "Nothing is left to be answered.");
  if (entry.end !== undefined) throw conflict(id, "This was answered already.", "The first answer counts.");
  if (!isExpired(entry, now.getTime())) return entry.question;
  throw conflict(id, "Nobody waits for this answer any more.", "Have it asked again.");
}

function rejectOthers(by: Actor): void {
  rejectAgentActor(by);
  if (mayAnswer(by)) return;
  throw new SkillError("POLICY_DENIED", "Only an administrator answers this.", {
    hint: "Ask an administrator.",
  });
}

function notFound(): SkillError {
  return new SkillError("QUESTION_NOT_FOUND", "There is no such question.");
}

function conflict(question: string, message: string, hint: string): SkillError {
  return new SkillError("CONFLICT", message, { hint, details: { question } });
}

function closed(): SkillError {
  return new SkillError("INTERRUPTED", "It was called off before anyone answered.");
}

interface QuestionFeedPorts {
  readonly store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">;
  /** The number of the event that it begins after. */
  readonly start: () => Promise<number>;
  readonly onEvent: (stored: StoredEvent) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Hands the events of the log on, from its start until it is stopped or fails. */
class QuestionFeed {
  readonly #stopping = new AbortController();
  readonly #started = Promise.withResolvers<void>();
  /** Resolves when nothing of it is under way any more; it never fails. */
  readonly ended: Promise<void>;

  constructor(ports: QuestionFeedPorts) {
    this.ended = this.#run(ports);
  }

  /** Resolves when every event that is committed from then on will be handed on, or when it has failed. */
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
