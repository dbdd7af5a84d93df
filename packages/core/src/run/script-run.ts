import type { Digest, RunOutcome, SkillId } from "@skillhold/protocol";
import type { Collected, EnforcedLimits, LimitKind, Mount, Network, SandboxId } from "./sandbox.ts";

export interface ScriptOptions {
  readonly args?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Output as it comes, without the values of secrets. */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Never taken from a model. */
  readonly network?: Network;
  /** Never taken from a model. */
  readonly mounts?: readonly Mount[];
  /** The second switch for running without a sandbox; it does nothing without the first. */
  readonly isUnsandboxed?: boolean;
  /** Where the files that it produces are put; an empty folder. */
  readonly outputs?: string;
}

/** What came of a run. A script that fails is a result, not an error. */
export interface ScriptRun {
  readonly run: string;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly script: string;
  readonly exitCode: number;
  readonly signal?: string;
  readonly outcome: RunOutcome;
  /** The limit that ended it. */
  readonly exceeded?: LimitKind;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether there was more output than was kept. */
  readonly isTruncated: boolean;
  readonly durationMs: number;
  readonly files: Collected["files"];
  readonly refusedFiles: Collected["refused"];
  /** Where the files are; undefined when they were not kept. */
  readonly outputs?: string;
  readonly sandbox: SandboxId;
  readonly enforced: EnforcedLimits;
}
