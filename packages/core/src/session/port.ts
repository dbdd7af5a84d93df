import type { SkillEvent } from "@skillhold/protocol";

/** What a session takes from the world around it. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
}

export interface Clock {
  now(): Date;
}

export interface Ids {
  /** An id that was never given out before. */
  next(): string;
}

/** Contract: when `record` fails, what was to be recorded does not happen. */
export interface AuditSink {
  record(event: SkillEvent): void | Promise<void>;
}
