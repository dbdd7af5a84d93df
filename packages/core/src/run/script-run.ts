import type { Digest, RunOutcome, SkillId } from "@skillhold/protocol";
import type { ApprovalCall } from "../approval/approval.ts";
import type { Collected, EnforcedLimits, LimitKind, Mount, Network, SandboxId } from "./sandbox.ts";

export interface ScriptOptions extends ApprovalCall {
  readonly args?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Output chunks, with secrets redacted. */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /** Never taken from model input. */
  readonly network?: Network;
  /** Never taken from model input. */
  readonly mounts?: readonly Mount[];
  /** The second switch for running without a sandbox; no effect without the first. */
  readonly isUnsandboxed?: boolean;
  /** An empty folder for the output files. */
  readonly outputs?: string;
}

/** The result of a run. A failing script is a result, not an error. */
export interface ScriptRun {
  readonly run: string;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly script: string;
  readonly exitCode: number;
  readonly signal?: string;
  readonly outcome: RunOutcome;
  /** The exceeded limit. */
  readonly exceeded?: LimitKind;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the output was truncated. */
  readonly isTruncated: boolean;
  readonly durationMs: number;
  readonly files: Collected["files"];
  readonly refusedFiles: Collected["refused"];
  /** Hosts that the script asked for and did not get; the error output names the missing line of the manifest. */
  readonly refusedHosts?: readonly string[];
  /** The folder of the files; undefined when they were discarded. */
  readonly outputs?: string;
  readonly sandbox: SandboxId;
  readonly enforced: EnforcedLimits;
}
