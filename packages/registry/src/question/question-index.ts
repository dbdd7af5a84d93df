import { type ApprovalAnswer, requestKey } from "@skillhold/core/approval";
import type { Digest, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isNextEvent } from "../audit/follow.ts";
import { isOverseer } from "../ownership/oversight.ts";
import type { RegistryReader, StoredEvent } from "../record/registry-store.ts";
import { answerOf, type Question, questionOf } from "./question.ts";

/** An open question, or the outcome of a closed one. */
export type IndexedQuestion =
  | { readonly end: undefined; readonly expiresAt: string; readonly question: Question }
  | ClosedQuestion;

export interface ClosedQuestion {
  readonly end: "approve" | "deny" | "withdrawn";
  readonly expiresAt: string;
  /** The key of its exact request. */
  readonly key: Digest;
  /** The answer, until a run used it. */
  readonly unused?: { readonly answer: ApprovalAnswer; readonly at: string };
}

type LogReader = Pick<RegistryReader, "eventsAfter">;

const PAGE = 1000;
const TYPES = ["approval.asked", "approval.answered", "approval.used"] as const;
/** The most that the clocks of the log's writers may differ. */
const CLOCKS_MS = 60_000;
/** How long expired questions are kept, so that late answers get a precise error. */
const KNOWN_MS = 3_600_000;

/** The questions in the log up to an event. */
export class QuestionIndex {
  readonly #entries = new Map<string, IndexedQuestion>();
  #seq: number;

  private constructor(seq: number) {
    this.#seq = seq;
  }

  /**
   * Reads all questions asked since a time, however many other events the log has. Older questions expire
   * unanswered.
   */
  static async open(
    reader: LogReader & Pick<RegistryReader, "lastEvent" | "listEvents">,
    since: Date,
  ): Promise<QuestionIndex> {
    const last = await reader.lastEvent();
    const index = new QuestionIndex(last);
    let after = await seqBefore(since.getTime() - CLOCKS_MS, last, reader);
    for (;;) {
      const query = { types: TYPES, after, before: last + 1, order: "oldest", limit: PAGE } as const;
      const page = await reader.listEvents(query);
      for (const { event } of page) index.#take(event);
      if (page.length < PAGE) break;
      after = page.at(-1)?.seq ?? last;
    }
    await index.catchUp(reader);
    return index;
  }

  /** The number of the last event applied. */
  get seq(): number {
    return this.#seq;
  }

  find(id: string): IndexedQuestion | undefined {
    return this.#entries.get(id);
  }

  /** The open question for an exact request. */
  findOpen(key: Digest, now: Date): Question | undefined {
    return this.listOpen(now).find(({ request }) => requestKey(request) === key);
  }

  /** The id of the latest question for an exact request whose answer came after `since` and was not used. */
  findUnused(key: Digest, since: Date): string | undefined {
    const found = [...this.#entries].findLast(
      ([, entry]) =>
        entry.end !== undefined && entry.key === key && Date.parse(entry.unused?.at ?? "") > since.getTime(),
    );
    return found?.[0];
  }

  /** Oldest first. */
  listOpen(now: Date): readonly Question[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.end === undefined && !isExpired(entry, now.getTime()) ? [entry.question] : [],
    );
  }

  async catchUp(reader: LogReader): Promise<void> {
    for (;;) {
      const page = await reader.eventsAfter(this.#seq, PAGE);
      for (const stored of page) this.apply(stored);
      if (this.#seq < (page.at(-1)?.seq ?? 0)) throw gapAfter(this.#seq);
      if (page.length < PAGE) return;
    }
  }

  /** Applies the next event. Concurrent readers may deliver an event twice; the second is ignored. */
  apply(stored: StoredEvent): void {
    if (!isNextEvent(stored, this.#seq)) return;
    this.#seq = stored.seq;
    this.#take(stored.event);
  }

  #take(event: SkillEvent): void {
    if (event.type === "approval.asked") this.#ask(questionOf(event));
    if (event.type === "approval.answered") this.#close(event);
    if (event.type === "approval.used") this.#use(event.question);
  }

  #close(event: Extract<SkillEvent, { readonly type: "approval.answered" }>): void {
    if (event.answer !== "withdrawn" && !isOverseer(event.by)) return;
    const entry = this.#entries.get(event.question);
    if (entry === undefined || entry.end !== undefined) return;
    const answer = answerOf(event);
    this.#entries.set(event.question, {
      end: event.answer,
      expiresAt: entry.expiresAt,
      key: requestKey(entry.question.request),
      ...(answer === undefined ? {} : { unused: { answer, at: event.at } }),
    });
  }

  #use(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.end === undefined) return;
    const { unused: _, ...used } = entry;
    this.#entries.set(id, used);
  }

  #ask(question: Question): void {
    const now = Date.parse(question.askedAt);
    for (const [id, entry] of this.#entries) {
      if (!isExpired(entry, now - KNOWN_MS)) break;
      this.#entries.delete(id);
    }
    this.#entries.set(question.id, { end: undefined, expiresAt: question.expiresAt, question });
  }
}

export function isExpired({ expiresAt }: Pick<Question, "expiresAt">, now: number): boolean {
  return Date.parse(expiresAt) <= now;
}

/** Finds an event before the given time by binary search, because times increase with numbers. */
async function seqBefore(time: number, last: number, reader: LogReader): Promise<number> {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await reader.eventsAfter(middle, 1);
    if (next !== undefined && next.seq <= last && Date.parse(next.event.at) < time) low = next.seq;
    else high = middle;
  }
  return low;
}

function gapAfter(seq: number): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The events after ${seq} are missing from the log.`, {
    hint: "Run `skillhold audit verify`.",
  });
}
