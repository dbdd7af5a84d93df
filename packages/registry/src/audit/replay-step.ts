import type { Digest, RunOutcome } from "@skillhold/protocol";

/** One thing that an agent was given or that was run for it. */
export type ReplayStep = ReplayedActivation | ReplayedRead | ReplayedRun;

/** Of what was used, as the log has it. */
export interface ReplayedUse {
  readonly seq: number;
  readonly at: string;
  readonly task: string | undefined;
  readonly skill: string;
  /** Of the tree that was used. */
  readonly hash: Digest;
}

export interface ReplayedActivation extends ReplayedUse {
  readonly kind: "activation";
  readonly revision: number | undefined;
  readonly source: string;
  readonly args: string | undefined;
  /** SKILL.md, as it was. */
  readonly skillFile: Recovered;
  /** What the agent was handed, to the last byte. */
  readonly text: Recovered;
}

export interface ReplayedRead extends ReplayedUse {
  readonly kind: "read";
  readonly path: string;
  readonly start: number;
  /** The part of the file that was handed over. */
  readonly content: Recovered;
}

export interface ReplayedRun extends ReplayedUse {
  readonly kind: "run";
  readonly run: string;
  /** The script's path or the tool's name. */
  readonly target: string;
  readonly args: readonly string[];
  /** Whether it was let run: what was not, was never started. */
  readonly wasAllowed: boolean;
  /** How it ended; undefined when nobody lived to record it, or it never began. */
  readonly end: ReplayedEnd | undefined;
  /** The script, as it was; a tool is not one file. */
  readonly script: Recovered;
}

export interface ReplayedEnd {
  readonly at: string;
  readonly outcome: RunOutcome;
  /** Of a script. */
  readonly exitCode: number | undefined;
}

/** Bytes that are proven by their hash to be those that were used; or why there are none. */
export type Recovered =
  | { readonly isAvailable: true; readonly bytes: Uint8Array }
  | { readonly isAvailable: false; readonly reason: UnavailableReason; readonly message: string };

export type UnavailableReason =
  /** The bytes were given up. */
  | "purged"
  /** The store never had them: they were in a folder. */
  | "not-stored"
  /** The store has something else in their place. */
  | "damaged"
  /** The log does not say enough to tell what they were. */
  | "not-recorded"
  /** The text is put together in another way by now. */
  | "not-reproducible";

export function unavailable(reason: UnavailableReason, message: string): Recovered {
  return { isAvailable: false, reason, message };
}

export function available(bytes: Uint8Array): Recovered {
  return { isAvailable: true, bytes };
}
