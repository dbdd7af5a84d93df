import { once } from "node:events";
import { SkillError } from "@skillhold/protocol/error";

/** How long a command may tidy up after it was interrupted. */
const GRACE_MS = 5_000;

/** Whoever ends the command, what it has begun is brought to an end and recorded. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A terminal interrupts the launcher and its child at once, and the launcher passes it on: that is one wish. */
const echoMs = 300;

export interface InterruptOptions<T> {
  /** Whether the result says that an interrupt is how the work ends. */
  readonly isEnd?: (result: T) => boolean;
  readonly graceMs?: number;
}

/**
 * Runs the work until it ends or the user interrupts. An interrupt aborts the signal; the work may tidy up for a
 * moment, a second interrupt does not wait for it. Either way the outcome is INTERRUPTED, unless the
 * work's result says that an interrupt is how it ends.
 */
export async function untilInterrupted<T>(
  interrupt: AbortController,
  work: () => Promise<T>,
  { isEnd = () => false, graceMs = GRACE_MS }: InterruptOptions<T> = {},
): Promise<T> {
  const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
  let firstAt: number | undefined;
  let grace: NodeJS.Timeout | undefined;
  const onInterrupt = () => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      interrupt.abort(new SkillError("INTERRUPTED", "interrupted"));
      grace = setTimeout(() => abandon(interrupt.signal.reason), graceMs);
    } else if (now - firstAt > echoMs) abandon(interrupt.signal.reason);
  };
  for (const signal of SIGNALS) process.on(signal, onInterrupt);
  process.on("uncaughtException", abandon);
  try {
    const result = await Promise.race([work(), abandoned]);
    if (!isEnd(result)) interrupt.signal.throwIfAborted();
    return result;
  } catch (error) {
    throw interrupt.signal.aborted ? withDone(interrupt.signal.reason, error) : error;
  } finally {
    clearTimeout(grace);
    for (const signal of SIGNALS) process.off(signal, onInterrupt);
    process.off("uncaughtException", abandon);
  }
}

/** The work may say in its own failure what it had done by then. */
function withDone(reason: unknown, error: unknown): unknown {
  if (!(reason instanceof SkillError && error instanceof SkillError && error.code === "INTERRUPTED"))
    return reason;
  return new SkillError("INTERRUPTED", reason.message, { details: error.details, cause: error });
}

/** The clocks and watches of what is watched do not keep a process alive; this does, and is never due. */
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
