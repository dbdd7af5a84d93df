import type { SkillEvent } from "@skillhold/protocol";

export interface Clock {
  now(): Date;
}

export interface Ids {
  /** An id that was never given out before. */
  next(): string;
}

/** Contract: when `record` fails, the recorded action does not happen. */
export interface AuditSink {
  record(event: SkillEvent): void | Promise<void>;
  /** Records events of one moment, at less cost than one by one. */
  recordAll?(events: readonly SkillEvent[]): void | Promise<void>;
}

/** Records events of one moment. */
export async function recordAll(audit: AuditSink, events: readonly SkillEvent[]): Promise<void> {
  if (audit.recordAll !== undefined) await audit.recordAll(events);
  else await Promise.all(events.map((event) => audit.record(event)));
}

export {
  type CancelTimer,
  type PauseOptions,
  pause,
  systemTimers,
  type TimerOptions,
  type Timers,
} from "./timers.ts";
