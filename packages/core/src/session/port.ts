import type { AuditSink, Clock, Ids } from "../port.ts";
import type { RunPorts } from "../run/run-port.ts";

/** What a session takes from the world around it. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  /** What it takes to run scripts and tools; without it a session runs nothing. */
  readonly runs?: RunPorts;
}
