import { randomUUID } from "node:crypto";
import type { Viewer } from "../library/viewer.ts";
import type { AuditSink, Clock, Ids } from "../port.ts";
import type { DeferredRunPorts, RunPorts } from "../run/run-port.ts";
import type { SkillProposer } from "./proposal.ts";
import type { Published } from "./publication.ts";

/** The dependencies of a session. */
export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  /** Runs scripts and tools. Without it, a session cannot run any. */
  readonly runs?: RunPorts | DeferredRunPorts;
  /** Publishes skills that the agent wrote. Without it, a session cannot publish. */
  readonly publisher?: SkillPublisher;
  /** Stores proposals for skills. Without it, a session cannot propose. */
  readonly proposer?: SkillProposer;
  /** The past uses of skills, by id, from the audit log. They rank a catalogue that cannot hold all skills. */
  readonly uses?: () => Promise<ReadonlyMap<string, SkillUse>>;
}

export interface SkillUse {
  readonly count: number;
  readonly lastUsedAt: string;
}

/** Publishes skills that agents wrote. It decides who the publisher is. */
export type SkillPublisher = FolderPublisher | FilePublisher;

/** For agents on this machine. It decides which folders are allowed. */
export interface FolderPublisher {
  publish(path: string, viewer: Viewer): Promise<Published>;
}

/** For agents on other machines, which send the files. */
export interface FilePublisher {
  publishFiles(files: readonly InlineFile[], viewer: Viewer): Promise<Published>;
}

/** A file of a skill in a tool call. */
export interface InlineFile {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly content: string;
  /** Default: utf8. */
  readonly encoding?: "utf8" | "base64" | undefined;
  readonly executable?: boolean | undefined;
}

/** The machine's clock and random ids. Without a sink, events are discarded. */
export function systemPorts(audit: AuditSink = { record: () => {} }): SessionPorts {
  return { clock: { now: () => new Date() }, ids: { next: () => randomUUID() }, audit };
}
