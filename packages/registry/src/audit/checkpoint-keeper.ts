import { SerialQueue } from "@skillhold/core/async";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type { LogGuard, SeenLogState } from "./log-guard.ts";

/** Stores a signed checkpoint apart from the log: in a file, or with another service. */
export type Witness = (note: string) => Promise<void>;

export interface CheckpointOptions {
  readonly witnesses?: readonly Witness[];
  /** The number of events of any kind between two checkpoints. */
  readonly everyEvents?: number;
  /** The longest time from an event to the next checkpoint. */
  readonly everyMs?: number;
  /** Called for each failed checkpoint. It is retried with the next one. */
  readonly onFailure?: (error: unknown) => void;
  readonly timers?: Pick<Timers, "after">;
}

export const CHECKPOINT_EVENTS = 100;
export const CHECKPOINT_MS = 60_000;

/** Witnesses the log as it grows, and at the end. */
export class CheckpointKeeper {
  readonly #guard: Pick<LogGuard, "save">;
  readonly #options: Required<CheckpointOptions>;
  #latest: SeenLogState | undefined;
  #keptSeq: number | undefined;
  #cancel: (() => void) | undefined;
  readonly #keeping = new SerialQueue();

  constructor(guard: Pick<LogGuard, "save">, options: CheckpointOptions = {}) {
    this.#guard = guard;
    this.#options = {
      witnesses: [],
      everyEvents: CHECKPOINT_EVENTS,
      everyMs: CHECKPOINT_MS,
      onFailure: () => {},
      timers: systemTimers,
      ...options,
    };
  }

  /** Takes the state after a commit that began at this entry. */
  grown(state: SeenLogState, startSeq: number): void {
    if (this.#latest !== undefined && state.head.seq <= this.#latest.head.seq) return;
    this.#latest = state;
    this.#keptSeq ??= startSeq;
    if (state.head.seq - this.#keptSeq >= this.#options.everyEvents) this.#keepSoon();
    else this.#keepLater();
  }

  async close(): Promise<void> {
    this.#keepSoon();
    await this.#keeping.idle();
  }

  #keepLater(): void {
    const { timers, everyMs } = this.#options;
    this.#cancel ??= timers.after(everyMs, () => this.#keepSoon(), { isBackground: true });
  }

  #keepSoon(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    void this.#keeping.run(() => this.#keep());
  }

  /** Never rejects. A failure leaves the checkpoint due, and the other witnesses still get it. */
  async #keep(): Promise<void> {
    const state = this.#latest;
    if (state === undefined || state.head.seq === this.#keptSeq) return;
    const { note } = state.head;
    const steps = [
      () => this.#guard.save(state),
      ...this.#options.witnesses.map((witness) => async () => {
        if (note !== undefined) await witness(note);
      }),
    ];
    const results = await Promise.allSettled(steps.map((step) => step()));
    const failures = results.filter((result) => result.status === "rejected");
    for (const { reason } of failures) this.#options.onFailure(reason);
    if (failures.length === 0) this.#keptSeq = state.head.seq;
    else if (state === this.#latest) this.#keepLater();
  }
}
