import { FormMatcher } from "./form-matcher.ts";
import { MIN_LENGTH, redactForms } from "./redact-form.ts";

/** Replaces secret values in text with `[secret NAME]`. */
export interface Redactor {
  /** Names whose values are not redacted: values shorter than four characters would match everywhere. */
  readonly skipped: readonly string[];
  text(text: string): string;
  /** Redacts one stream of bytes; each stream needs its own. */
  stream(): RedactStream;
}

/** Redacts a stream. The output does not depend on the chunk boundaries of the input. */
export interface RedactStream {
  /** Holds back only a possible beginning of a value, which is shorter than the longest form of a value. */
  push(chunk: Uint8Array): Uint8Array;
  /** Returns the bytes that were held back. */
  end(): Uint8Array;
}

/**
 * Finds values in plain form and as base64 (also inside a longer one), hexadecimal, URL-encoded and JSON-escaped
 * text. Every byte of every match is removed; overlapping matches get one mark. All other bytes stay the same. The
 * time is linear in the input for any values.
 *
 * This guards against accidents: a program can still deliberately write a value in a form that is not detected.
 */
export function makeRedactor(secrets: Iterable<readonly [name: string, value: string]>): Redactor {
  const all = [...secrets];
  const sought = all.filter(([, value]) => [...value].length >= MIN_LENGTH);
  const forms = sought.flatMap(([, value], owner) =>
    redactForms(value).map((form) => ({ bytes: Buffer.from(form), owner })),
  );
  const matcher = new FormMatcher(forms);
  const marks = sought.map(([name]) => markFor(name, matcher));
  const stream = () => (forms.length === 0 ? untouched : new MatchingStream(matcher, marks));
  return {
    skipped: all.filter((secret) => !sought.includes(secret)).map(([name]) => name),
    text: (text) => (forms.length === 0 ? text : redactText(text, stream())),
    stream,
  };
}

const untouched: RedactStream = { push: (chunk) => chunk, end: () => new Uint8Array() };

/** A mark that has a value in it, because the value is a word such as `secret`, would show it. */
function markFor(name: string, matcher: FormMatcher): Uint8Array {
  const marks = [`[secret ${name}]`, "[removed]"].map((mark) => Buffer.from(mark));
  // No value is as short as this one.
  return marks.find((mark) => !hasMatch(mark, matcher)) ?? Buffer.from("***");
}

function hasMatch(bytes: Uint8Array, matcher: FormMatcher): boolean {
  let state = 0;
  for (const byte of bytes) {
    state = matcher.next(state, byte);
    if (matcher.matched(state) > 0) return true;
  }
  return false;
}

function redactText(text: string, stream: RedactStream): string {
  const bytes = Buffer.from(text);
  const redacted = Buffer.concat([stream.push(bytes), stream.end()]);
  // Not by way of bytes, which cannot hold every string.
  return redacted.equals(bytes) ? text : redacted.toString("utf8");
}

/** Where values were found: from `start` to before `end`, counted from the beginning of the stream. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** The longest value in it, which names it. */
  readonly length: number;
  readonly owner: number;
}

class MatchingStream implements RedactStream {
  readonly #matcher: FormMatcher;
  readonly #marks: readonly Uint8Array[];
  readonly #held = new ByteQueue();
  /** In order, without overlaps. */
  readonly #spans: Span[] = [];
  #state = 0;
  /** Bytes read, and bytes that were returned or dropped. */
  #read = 0;
  #done = 0;

  constructor(matcher: FormMatcher, marks: readonly Uint8Array[]) {
    this.#matcher = matcher;
    this.#marks = marks;
  }

  push(chunk: Uint8Array): Uint8Array {
    const matcher = this.#matcher;
    for (const byte of chunk) {
      this.#read += 1;
      this.#state = matcher.next(this.#state, byte);
      const length = matcher.matched(this.#state);
      if (length === 0) continue;
      this.#addSpan(length, matcher.owner(this.#state));
      this.#state = matcher.settle(this.#state);
    }
    this.#held.append(chunk);
    return this.#release(this.#read - matcher.depth(this.#state));
  }

  end(): Uint8Array {
    this.#state = 0;
    return this.#release(this.#read);
  }

  #addSpan(matched: number, matchedOwner: number): void {
    let start = this.#read - matched;
    let length = matched;
    let owner = matchedOwner;
    for (let last = this.#spans.at(-1); last !== undefined && last.end > start; last = this.#spans.at(-1)) {
      this.#spans.pop();
      start = Math.min(start, last.start);
      if (last.length >= length) ({ length, owner } = last);
    }
    this.#spans.push({ start, end: this.#read, length, owner });
  }

  /** Returns all bytes before `safe`. Contract: a new match cannot begin before `safe`. */
  #release(safe: number): Uint8Array {
    const parts: Uint8Array[] = [];
    let finished = 0;
    for (const span of this.#spans) {
      if (span.start >= safe) break;
      parts.push(this.#take(span.start));
      if (span.end > safe) {
        // The span may still grow, so its mark is written when it ends; its bytes are no longer needed.
        this.#drop(safe);
        this.#spans[finished] = { ...span, start: safe };
        break;
      }
      parts.push(this.#marks[span.owner] ?? new Uint8Array());
      this.#drop(span.end);
      finished += 1;
    }
    this.#spans.splice(0, finished);
    parts.push(this.#take(safe));
    return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
  }

  #take(end: number): Uint8Array {
    const bytes = this.#held.take(end - this.#done);
    this.#done = end;
    return bytes;
  }

  #drop(end: number): void {
    this.#held.drop(end - this.#done);
    this.#done = end;
  }
}

/** A byte queue with constant time per byte, regardless of chunk sizes. */
export class ByteQueue {
  #bytes = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** The first `count` bytes, as a copy. */
  take(count: number): Uint8Array {
    const bytes = Buffer.from(this.#bytes.subarray(this.#start, this.#start + count));
    this.drop(count);
    return bytes;
  }

  drop(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) {
      this.#start = 0;
      this.#end = 0;
    }
  }

  /** Remaining bytes move to the front of a buffer at least twice their size, so moves are rare. */
  #makeRoom(count: number): void {
    const length = this.#end - this.#start;
    const store = Buffer.alloc(2 * (length + count));
    this.#bytes.copy(store, 0, this.#start, this.#end);
    this.#bytes = store;
    this.#start = 0;
    this.#end = length;
  }
}
