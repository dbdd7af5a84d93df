import { once } from "node:events";
import { type CancelTimer, systemTimers, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";

/** How long a command may clean up after an interrupt. */
const GRACE_MS = 5_000;

/** All of these stop the command cleanly, so that running work ends and is recorded. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A terminal signals the launcher and its child, and the launcher forwards the signal: both count as one interrupt. */
const echoMs = 300;

/** Emits the process's signals and its uncaught exceptions. */
export interface SignalSource {
  on(event: SignalEvent, listener: (reason: unknown) => void): unknown;
  off(event: SignalEvent, listener: (reason: unknown) => void): unknown;
}

type SignalEvent = (typeof SIGNALS)[number] | "uncaughtException";

export interface InterruptOptions<T> {
  /** Whether the result means that an interrupt is the normal end of the work. */
  readonly isEnd?: (result: T) => boolean;
  readonly graceMs?: number;
  /** The machine's timers by default. */
  readonly timers?: Timers;
}

/**
 * Runs the work until it ends or the user interrupts. The first interrupt aborts the signal and leaves a grace period;
 * the second ends at once. Either way the outcome is INTERRUPTED, unless `isEnd` accepts the work's result.
 */
export async function untilInterrupted<T>(
  interrupt: AbortController,
  source: SignalSource,
  work: () => Promise<T>,
  { isEnd = () => false, graceMs = GRACE_MS, timers = systemTimers }: InterruptOptions<T> = {},
): Promise<T> {
  const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
  let firstAt: number | undefined;
  let cancelGrace: CancelTimer | undefined;
  const onInterrupt = () => {
    const now = timers.now();
    if (firstAt === undefined) {
      firstAt = now;
      interrupt.abort(new SkillError("INTERRUPTED", "interrupted"));
      cancelGrace = timers.after(graceMs, () => abandon(interrupt.signal.reason));
    } else if (now - firstAt > echoMs) abandon(interrupt.signal.reason);
  };
  for (const signal of SIGNALS) source.on(signal, onInterrupt);
  source.on("uncaughtException", abandon);
  try {
    const result = await Promise.race([work(), abandoned]);
    if (!isEnd(result)) interrupt.signal.throwIfAborted();
    return result;
  } catch (error) {
    throw interrupt.signal.aborted ? withDone(interrupt.signal.reason, error) : error;
  } finally {
    cancelGrace?.();
    for (const signal of SIGNALS) source.off(signal, onInterrupt);
    source.off("uncaughtException", abandon);
  }
}

/** Keeps the details of the work's own error, which list the finished steps. */
function withDone(reason: unknown, error: unknown): unknown {
  if (!(reason instanceof SkillError && error instanceof SkillError && error.code === "INTERRUPTED"))
    return reason;
  return new SkillError("INTERRUPTED", reason.message, { details: error.details, cause: error });
}

/** An interval of this length keeps the process alive and never fires in practice; file watchers do not. */
const FOREVER_MS = 2 ** 31 - 1;

/** Waits for the user to interrupt. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => {}, FOREVER_MS);
  try {
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    clearInterval(alive);
  }
}
