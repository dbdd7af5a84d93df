import type { Digest, RunOutcome } from "@skillhold/protocol";
import type { RunOutput } from "../record/run-output.ts";

/** One delivery to an agent, or one run. */
export type ReplayStep = ReplayedActivation | ReplayedRead | ReplayedRun;

/** The recorded use of a skill. */
export interface ReplayedUse {
  readonly seq: number;
  readonly at: string;
  readonly task: string | undefined;
  readonly skill: string;
  /** The hash of the tree that was used. */
  readonly hash: Digest;
}

export interface ReplayedActivation extends ReplayedUse {
  readonly kind: "activation";
  readonly revision: number | undefined;
  readonly source: string;
  readonly args: string | undefined;
  /** SKILL.md at that time. */
  readonly skillFile: Recovered;
  /** The exact text that the agent received. */
  readonly text: Recovered;
}

export interface ReplayedRead extends ReplayedUse {
  readonly kind: "read";
  readonly path: string;
  readonly start: number;
  /** The part of the file that was delivered. */
  readonly content: Recovered;
}

export interface ReplayedRun extends ReplayedUse {
  readonly kind: "run";
  readonly run: string;
  /** The path of the script or the name of the tool. */
  readonly target: string;
  readonly args: readonly string[];
  /** Whether the run was approved; otherwise it never started. */
  readonly wasAllowed: boolean;
  /** How the run ended; undefined if it never started or its end was not recorded. */
  readonly end: ReplayedEnd | undefined;
  /** The script at that time; not available for a tool. */
  readonly script: Recovered;
  /** The kept input and output; undefined if they were not kept or have expired. */
  readonly output: Pick<RunOutput, "input" | "stdout" | "stderr" | "result"> | undefined;
}

export interface ReplayedEnd {
  readonly at: string;
  readonly outcome: RunOutcome;
  /** For a script. */
  readonly exitCode: number | undefined;
}

/** Bytes verified by the recorded hash, or the reason why they are unavailable. */
export type Recovered =
  | { readonly isAvailable: true; readonly bytes: Uint8Array }
  | { readonly isAvailable: false; readonly reason: UnavailableReason; readonly message: string };

export type UnavailableReason =
  /** The bytes were purged. */
  | "purged"
  /** The skill was in a folder, not in the store. */
  | "not-stored"
  /** The stored bytes do not match the hash. */
  | "damaged"
  /** The log lacks the necessary fields. */
  | "not-recorded"
  /** The text format has changed since. */
  | "not-reproducible";

export function unavailable(reason: UnavailableReason, message: string): Recovered {
  return { isAvailable: false, reason, message };
}

export function available(bytes: Uint8Array): Recovered {
  return { isAvailable: true, bytes };
}
