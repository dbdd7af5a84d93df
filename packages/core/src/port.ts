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
}

export {
  type CancelTimer,
  type PauseOptions,
  pause,
  systemTimers,
  type TimerOptions,
  type Timers,
} from "./timers.ts";
