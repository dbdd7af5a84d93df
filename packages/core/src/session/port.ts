import type { Viewer } from "../library/viewer.ts";
import type { AuditSink, Clock, Ids } from "../port.ts";
import type { RunPorts } from "../run/run-port.ts";
import type { Published } from "./publication.ts";

/** What a session takes from the world around it. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  /** What it takes to run scripts and tools; without it a session runs nothing. */
  readonly runs?: RunPorts;
  /** Takes in skills that the agent has written; without it a session publishes nothing. */
  readonly publisher?: SkillPublisher;
}

/** Takes in skills that agents have written. Where they may lie, and in whose name, is for it to know. */
export interface SkillPublisher {
  publish(path: string, viewer: Viewer): Promise<Published>;
}
