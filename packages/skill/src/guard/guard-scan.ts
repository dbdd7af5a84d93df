import type { GuardReport } from "./finding.ts";

/** A file of a skill, as the guard reads it. */
export interface GuardFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Whether an ignore file leaves it out of the bundle. */
  readonly isIgnored?: boolean;
}

export interface GuardScanOptions {
  /** The id or folder name of the skill. */
  readonly name?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Scans a skill for findings and capabilities. `@skillhold/deps` implements it, in this thread or in another. */
export type GuardScan = (files: readonly GuardFile[], options: GuardScanOptions) => Promise<GuardReport>;
