import type { Mount, Network, RunLimits, Sandbox, SandboxPaths } from "@skillhold/core/run";
import type { Runtime } from "../backend/runtime.ts";
import type { Redact } from "./tool-listing.ts";

export type ToolLanguage = "node" | "python";

/** The tools of one skill in one language, and what their process may do. */
export interface ToolHostSpec {
  /** The folder of the staged skill. */
  readonly skill: string;
  readonly language: ToolLanguage;
  /** The modules that declare tools, in their order. */
  readonly files: readonly string[];
  readonly mounts: readonly Mount[];
  readonly network: Network;
  readonly env: Readonly<Record<string, string>>;
  /** Packages that were installed for the skill, and the variables by which they are found. */
  readonly environment?: {
    readonly mounts: readonly Mount[];
    readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
  };
  /** `wallMs` is not used: a call has its time-out, and a process without calls is ended after `idleMs`. */
  readonly limits: RunLimits;
  readonly timing: ToolTiming;
}

export interface ToolTiming {
  /** For a process to load its modules. */
  readonly startMs: number;
  /** For a call that says nothing else. */
  readonly callMs: number;
  /** For a call to stop after it was cancelled, before its process is ended. */
  readonly graceMs: number;
  /** How long a process without calls is kept. */
  readonly idleMs: number;
}

export interface ToolHostPorts {
  readonly sandbox: Sandbox;
  readonly findRuntime: (language: ToolLanguage) => Promise<Runtime>;
  /** Takes the values of secrets out of what a tool says. */
  readonly redact: Redact;
}
