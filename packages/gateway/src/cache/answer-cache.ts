import type { Clock } from "@skillhold/core/port";
import type { Operation } from "@skillhold/protocol/http";
import type { Principal } from "../auth/principal.ts";
import { shortHash } from "../digest.ts";
import type { ViewVersion } from "./view-version.ts";

/** An answer as it is sent. */
export interface Answer<Note = undefined> {
  readonly json: Uint8Array<ArrayBuffer> | string;
  readonly etag: string;
  /** What else is known of it. */
  readonly note: Note;
}

/** What an answer is made of. */
export interface Made<Note = undefined> {
  readonly data: unknown;
  /** Without it, the hash of the answer. */
  readonly etag?: string;
  readonly note: Note;
  /** False for what may change without anyone noticing. */
  readonly isKept?: boolean;
}

/** What an answer depends on, beside the version. */
export interface Question {
  readonly operation: Operation | "discovery";
  /** Undefined for what is the same for everyone, and for anyone to see. */
  readonly principal: Principal | undefined;
  readonly params?: object;
  readonly query?: object;
  /** Both as text, where that was made before. */
  readonly words?: string | undefined;
  /** The store's version, asked since the question came. */
  readonly seen?: number | undefined;
  /** Whether the store is asked whether anything has changed, where it would else tell a moment later. */
  readonly isSure?: boolean;
}

export interface CacheBounds {
  readonly answers: number;
  readonly bytes: number;
  readonly ms: number;
}

const defaultBounds: CacheBounds = { answers: 2000, bytes: 64 * 1024 * 1024, ms: 5 * 60_000 };
/** One answer takes at most this part of the room. */
const LARGEST_PART = 1 / 8;
const LONGEST_TEXT = 4 * 1024;

/** An answer, and whether it depends on nothing but the question and the version. */
interface MadeAnswer<Note> {
  readonly answer: Answer<Note>;
  readonly isKept: boolean;
}

interface Kept {
  readonly answer: Answer<unknown>;
  readonly keptAt: number;
  isUsed: boolean;
}

/**
 * Answers as they were sent, each for those alone who asked for it: another user, role or agent has another key. They
 * count while the version is the one that they were made with.
 */
export class AnswerCache {
  readonly #version: Pick<ViewVersion, "current">;
  readonly #clock: Clock;
  readonly #bounds: CacheBounds;
  readonly #kept = new Map<string, Kept>();
  readonly #making = new Map<string, Promise<MadeAnswer<unknown>>>();
  #of: number | undefined;
  #bytes = 0;

  constructor(version: Pick<ViewVersion, "current">, clock: Clock, bounds: Partial<CacheBounds> = {}) {
    this.#version = version;
    this.#clock = clock;
    this.#bounds = { ...defaultBounds, ...bounds };
  }

  /** The answer that is kept, or a new one. Contract: what is kept depends on nothing but the question and the version. */
  async get<Note>(question: Question, make: (version: number) => Promise<Made<Note>>): Promise<Answer<Note>> {
    const version = await this.#version.current(question.isSure, question.seen);
    this.#begin(version);
    const key = keyOf(question);
    const others = this.#making.get(key);
    const known = this.#find(key) ?? (others && (await join(others)));
    // What is under a key was made by the maker of its operation, whose notes are all of one type.
    if (known !== undefined) return known as Answer<Note>;
    const making = this.#make(key, version, make).finally(() => {
      if (this.#making.get(key) === making) this.#making.delete(key);
    });
    // It may have waited for another, and one more may be under way by now.
    if (version === this.#of && !this.#making.has(key)) this.#making.set(key, making);
    return (await making).answer;
  }

  /** Of another version there is nothing worth keeping, and nothing worth waiting for. */
  #begin(version: number): void {
    if (version === this.#of) return;
    this.#of = version;
    this.#kept.clear();
    this.#making.clear();
    this.#bytes = 0;
  }

  #find(key: string): Answer<unknown> | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const age = this.#clock.now().getTime() - kept.keptAt;
    if (age < 0 || age >= this.#bounds.ms) {
      this.#drop(key, kept);
      return undefined;
    }
    kept.isUsed = true;
    return kept.answer;
  }

  async #make<Note>(
    key: string,
    version: number,
    make: (version: number) => Promise<Made<Note>>,
  ): Promise<MadeAnswer<Note>> {
    const { data, etag, note, isKept = true } = await make(version);
    const text = JSON.stringify(data);
    // A short text is written together with the head; the bytes of a long one are not made anew each time.
    const json = text.length <= LONGEST_TEXT ? text : new TextEncoder().encode(text);
    const answer = { json, etag: etag ?? shortHash(json), note };
    if (isKept && version === this.#of && json.length <= this.#bounds.bytes * LARGEST_PART)
      this.#put(key, { answer, keptAt: this.#clock.now().getTime(), isUsed: false });
    return { answer, isKept };
  }

  #put(key: string, kept: Kept): void {
    const before = this.#kept.get(key);
    if (before !== undefined) this.#drop(key, before);
    const room = this.#bounds.bytes - costOf(key, kept);
    while (this.#kept.size > 0 && (this.#kept.size >= this.#bounds.answers || this.#bytes > room))
      this.#dropOne();
    this.#add(key, kept);
  }

  /** One that was used since it was last come upon goes to the end; to move it at each use would cost more than all else. */
  #dropOne(): void {
    for (const [key, kept] of this.#kept) {
      this.#drop(key, kept);
      if (!kept.isUsed) return;
      kept.isUsed = false;
      this.#add(key, kept);
    }
  }

  #add(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#bytes += costOf(key, kept);
  }

  #drop(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#bytes -= costOf(key, kept);
  }
}

/**
 * What another who asked the same is about to get, if it is as good for one who asks later: it was begun before that
 * question came, and a refusal, or what the version says nothing of, may be older than the question.
 */
async function join(making: Promise<MadeAnswer<unknown>>): Promise<Answer<unknown> | undefined> {
  const made = await making.catch(() => undefined);
  return made?.isKept === true ? made.answer : undefined;
}

/** Each part is JSON, in which no line ends: no two questions have one key. */
function keyOf({ operation, principal, params = {}, query = {}, words }: Question): string {
  const who = principal === undefined ? null : [principal.role, principal.user, principal.agent ?? null];
  return `${operation}\n${JSON.stringify(who)}\n${words ?? JSON.stringify([params, query])}`;
}

function costOf(key: string, { answer }: Kept): number {
  const { json } = answer;
  return (typeof json === "string" ? 2 : 1) * json.length + 2 * key.length;
}
