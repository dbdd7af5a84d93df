import type { SkillEntry, SkillEvent } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import type { CapabilityManifest } from "@skillhold/skill/guard";
import type { ApprovalCall, ApprovalStore, Asker } from "../approval/approval.ts";
import type { Approvals } from "../approval/index.ts";
import type { Library, SkillContent } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { Rules } from "../policy/index.ts";
import type { SecretStore } from "../secret/secret.ts";
import type { Timers } from "../timers.ts";
import type { Clearance, ScriptInput } from "./clearance.ts";
import type { ToolAnswer, ToolArgs, ToolCatalogue, ToolCatalogueCache } from "./declared-tool.ts";
import type { Mount, Network, Sandbox, SandboxPaths } from "./sandbox.ts";
import type { ScriptOptions, ScriptRun } from "./script-run.ts";

/** The dependencies of runs. Without them, a session cannot run anything. */
export interface RunPorts {
  /** Opens the runner of a session; `openRunner` of `@skillhold/sandbox` is the one that runs programs. */
  readonly runner: (ports: RunPorts) => Promise<SkillRunner>;
  readonly sandbox: Sandbox;
  /**
   * The first of two switches for running without a sandbox: the backend. The second is `isUnsandboxed` of the run.
   */
  readonly unsandboxed?: Sandbox;
  readonly approvals: ApprovalStore;
  /** Asks for approval. Without an asker, acts that need approval are denied. */
  readonly asker?: Asker;
  readonly secrets?: SecretStore;
  /** The value of a host variable, read only for names that a skill declares. */
  readonly env?: (name: string) => string | undefined;
  /** The real path of a declared configuration file; undefined when it is missing. */
  readonly config?: (path: string) => string | undefined;
  readonly rules?: Rules;
  /** Extra permissions from the machine's owner. Never taken from a model or a skill. */
  readonly grant?: (entry: SkillEntry) => RunGrant;
  /** The machine's timers by default. */
  readonly timers?: Timers;
  /** The folder for output files, one subfolder per run. Without it, files are listed and discarded. */
  readonly outputs?: string;
  /** Caches declared tools by content, so that listing does not run the skill again. */
  readonly toolCache?: ToolCatalogueCache;
  /** The installed packages of a skill, found by the copy that will run. */
  readonly environment?: (copy: RunCopy) => Promise<RunEnvironment | undefined>;
  /**
   * The capabilities of a skill, found by the copy that will run. Without it, no skill declares a host, and a run gets
   * only hosts that a person approves one by one.
   */
  readonly capabilities?: (copy: RunCopy) => Promise<CapabilityManifest>;
  /** Warnings about missing dependencies. */
  readonly warnings?: (library: Library, viewer: Viewer, id: string) => Promise<readonly string[]>;
}

/** Run ports that load with the first run, because most sessions only read. */
export interface DeferredRunPorts extends Pick<RunPorts, "approvals" | "asker"> {
  /** Its approvals and its asker are those of this object. */
  readonly load: () => Promise<RunPorts>;
}

/** A copy of a skill before its run. */
export interface RunCopy {
  readonly id: string;
  readonly treeHash: string;
  readonly folder: string;
}

/** Packages in addition to those of the interpreter. */
export interface RunEnvironment {
  /** Identifies the installed packages by their content, so that an approval ends when they change. */
  readonly lock: string;
  readonly mounts: readonly Mount[];
  readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
}

export interface RunGrant {
  readonly network?: Network;
  readonly mounts?: readonly Mount[];
}

/** Runs scripts and declared tools for one session. `@skillhold/sandbox` implements it. */
export interface SkillRunner {
  /** Runs one script in the sandbox. A script that fails is a result, not an error. */
  runScript(script: string, options: ScriptOptions, context: RunContext): Promise<ScriptRun>;
  listTools(context: RunContext): Promise<ToolCatalogue>;
  callTool(tool: string, args: ToolArgs, context: RunContext): Promise<ToolAnswer>;
  /** Whether a script could run. Denials are thrown, as by `runScript`; no record is written. */
  clearScript(script: string, options: ScriptInput, context: RunContext): Promise<Clearance>;
  /** Whether a tool could be called, or the tools listed. */
  clearTool(tool: string | undefined, args: ToolArgs, context: RunContext): Promise<Clearance>;
  /** Stops every process that stays between calls. Contract: no call is running. */
  close(): Promise<void>;
}

/** One run of one skill: how to reach the skill through the gate, and the ports of the run. */
export interface RunContext extends ApprovalCall {
  readonly ports: RunPorts;
  readonly approvals: Approvals;
  readonly log: RunLog;
  /** The run's id, which every record of the run carries. */
  readonly run: string;
  readonly limits: Limits;
  /** The agent that asked for the run. Its own secrets take precedence over shared ones. */
  readonly agent: string | undefined;
  readonly user: string | undefined;
  /** Reads the skill as it is now, through the gate. */
  readonly read: () => Promise<SkillContent>;
  /** Writes the bundle to an empty folder, through the gate. */
  readonly copy: (folder: string) => Promise<SkillContent>;
  /** Called when the program starts: failures from then on are not refusals. */
  readonly begin: () => void;
}

/** The record that a run writes to: the log of its session. */
export interface RunLog {
  readonly session: string;
  record(event: Unplaced<SkillEvent>, at?: Date): Promise<void>;
  nextId(): string;
  now(): Date;
}

/** An event without the fields that every event of a session has. */
export type Unplaced<E> = E extends { readonly session: string } ? Omit<E, "at" | "session" | "task"> : never;
