import type { AuditSink, Clock, Ids } from "../port.ts";

/** What a session takes from the world around it. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
}
