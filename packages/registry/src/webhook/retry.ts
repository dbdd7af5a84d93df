import type { Delivery } from "../record/webhook.ts";

const FIRST_WAIT_MS = 5000;
const FACTOR = 4;
const MOST_WAIT_MS = 6 * 3_600_000;
/** A wait is shorter or longer by up to this share, so that gateways do not retry at once after an outage. */
const JITTER = 0.2;
/** The receiver does not exist any more. */
const GONE = 410;
const MOST_ERROR_LENGTH = 300;

/** The result of an attempt. */
export interface AttemptResult {
  /** The HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  /** Undefined for a success. */
  readonly error?: string | undefined;
}

export interface RetryRules {
  readonly now: Date;
  readonly maxAttempts: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/** Whether an attempt may start: the delivery waits, and no other process works on it. */
export function isDue({ state, dueAt }: Delivery, now: Date): boolean {
  return state === "pending" && Date.parse(dueAt) <= now.getTime();
}

/**
 * Starts an attempt. Until the lease ends, no other process starts one; after a crash, the next attempt starts then. A
 * delivery without attempts left fails.
 */
export function startAttempt(
  delivery: Delivery,
  leaseMs: number,
  { now, maxAttempts }: Pick<RetryRules, "now" | "maxAttempts">,
): Delivery {
  const updatedAt = now.toISOString();
  if (delivery.attempts >= maxAttempts) return { ...delivery, state: "failed", updatedAt };
  const attempts = delivery.attempts + 1;
  return { ...delivery, attempts, dueAt: later(now, leaseMs), updatedAt };
}

/** Records the result of the attempt that was started last. */
export function endAttempt(
  delivery: Delivery,
  { status, error }: AttemptResult,
  rules: RetryRules,
): Delivery {
  const { now, maxAttempts } = rules;
  const result = {
    ...delivery,
    status,
    error: error?.slice(0, MOST_ERROR_LENGTH),
    updatedAt: now.toISOString(),
  };
  if (error === undefined) return { ...result, state: "delivered" };
  if (status === GONE || delivery.attempts >= maxAttempts) return { ...result, state: "failed" };
  return { ...result, dueAt: later(now, waitAfter(delivery.attempts, rules.random)) };
}

/** Sends a delivery again, with all attempts. */
export function restart(delivery: Delivery, now: Date): Delivery {
  const at = now.toISOString();
  return { ...delivery, state: "pending", attempts: 0, dueAt: at, updatedAt: at };
}

function waitAfter(attempts: number, random: () => number): number {
  const wait = Math.min(FIRST_WAIT_MS * FACTOR ** (attempts - 1), MOST_WAIT_MS);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random()));
}

function later(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString();
}
