import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";

export interface FollowOptions {
  /** Ends it: what was handed out is the reader's, and nothing more comes. */
  readonly signal: AbortSignal;
}

const PAGE = 1000;

/**
 * The events after a number, as they are committed, by anyone. Every event comes once and in order: a reader that was
 * away goes on from the number of the last one it has dealt with.
 */
export async function* followEvents(
  after: number,
  { signal }: FollowOptions,
  store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">,
): AsyncGenerator<StoredEvent, void, undefined> {
  const bell = new Bell();
  const ring = () => bell.ring();
  const stop = await store.onCommit(ring);
  signal.addEventListener("abort", ring);
  try {
    for (let last = after; !signal.aborted; ) {
      // Asked for before the events are read: a commit after that rings it.
      const rung = bell.next();
      const page = await store.eventsAfter(last, PAGE);
      for (const stored of page) {
        rejectGap(last, stored.seq);
        last = stored.seq;
        if (signal.aborted) return;
        yield stored;
      }
      if (page.length === 0) await rejectShorter(last, store);
      if (page.length < PAGE && !signal.aborted) await rung;
    }
  } finally {
    signal.removeEventListener("abort", ring);
    await stop();
  }
}

/** Lets one wait for the next ring, and not miss one that comes before it waits. */
class Bell {
  #next = Promise.withResolvers<void>();

  next(): Promise<void> {
    return this.#next.promise;
  }

  ring(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}

function rejectGap(last: number, seq: number): void {
  if (seq === last + 1) return;
  throw broken(`Event ${seq} follows event ${last} in the log; what was between them is gone.`);
}

/** A store that was put back to an earlier state gives the numbers anew: to wait would be to miss what they stand for. */
async function rejectShorter(last: number, store: Pick<RegistryStore, "lastEvent">): Promise<void> {
  const end = await store.lastEvent();
  if (end >= last) return;
  throw broken(`The log ends with event ${end}, and event ${last} was read from it before.`);
}

function broken(message: string): SkillError {
  return new SkillError("INTEGRITY_FAILED", message, {
    hint: "Run `skillhold audit verify`; a reader starts over from 0.",
  });
}
