import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";

export interface FollowOptions {
  /** Ends the iteration. */
  readonly signal: AbortSignal;
}

const PAGE = 1000;

/**
 * Yields the events after a number as any process commits them, each once and in order. A reader resumes from
 * the number of its last event.
 */
export async function* followEvents(
  after: number,
  { signal }: FollowOptions,
  store: Pick<RegistryStore, "eventsAfter" | "lastEvent" | "onCommit">,
): AsyncGenerator<StoredEvent, void, undefined> {
  const wakeUp = new WakeUp();
  const fire = () => wakeUp.fire();
  const stop = await store.onCommit(fire);
  signal.addEventListener("abort", fire);
  try {
    for (let last = after; !signal.aborted; ) {
      // Created before the events are read, so that a later commit wakes it.
      const woken = wakeUp.next();
      const page = await store.eventsAfter(last, PAGE);
      for (const stored of page) {
        if (!isNextEvent(stored, last))
          throw broken(`The events between ${last} and ${stored.seq} are missing from the log.`);
        last = stored.seq;
        if (signal.aborted) return;
        yield stored;
      }
      if (page.length === 0) await rejectShorter(last, store);
      if (page.length < PAGE && !signal.aborted) await woken;
    }
  } finally {
    signal.removeEventListener("abort", fire);
    await stop();
  }
}

/** A resettable wake-up signal that is not lost if it fires before the wait. */
class WakeUp {
  #next = Promise.withResolvers<void>();

  next(): Promise<void> {
    return this.#next.promise;
  }

  fire(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}

/** Whether only pruned entries are between the two. */
export function isNextEvent({ seq, pruned = 0 }: StoredEvent, last: number): boolean {
  return seq === last + 1 + pruned;
}

/** A store reset to an earlier state reuses numbers, so waiting would skip the new events. */
async function rejectShorter(last: number, store: Pick<RegistryStore, "lastEvent">): Promise<void> {
  const end = await store.lastEvent();
  if (end >= last) return;
  throw broken(`The log ends with event ${end}, but event ${last} was read before.`);
}

function broken(message: string): SkillError {
  return new SkillError("INTEGRITY_FAILED", message, {
    hint: "Run `skillhold audit verify`, then read again from event 0.",
  });
}
