import type { SkillEntry } from "@skillhold/protocol";
import type { ApprovalStore, Asker } from "../approval/approval.ts";
import type { ToolCatalogueCache } from "../declared-tool/index.ts";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { Rules } from "../policy/index.ts";
import type { Mount, Network, Sandbox, SandboxPaths } from "../sandbox/sandbox.ts";
import type { SecretStore } from "../secret/secret.ts";

/** What a session needs to run what a skill brings along. Without it, a session runs nothing. */
export interface RunPorts {
  readonly sandbox: Sandbox;
  /**
   * The first of the two switches for running without a sandbox: the backend that does it. The second one is
   * `isUnsandboxed` of the run itself.
   */
  readonly unsandboxed?: Sandbox;
  readonly approvals: ApprovalStore;
  /** Who is asked. Without anyone to ask, what needs an approval is refused. */
  readonly asker?: Asker;
  readonly secrets?: SecretStore;
  /** The value of a variable of the host, asked for only by names that a skill declares. */
  readonly env?: (name: string) => string | undefined;
  /** Where a configuration file that a skill declares really lies, or undefined when it is not there. */
  readonly config?: (path: string) => string | undefined;
  readonly rules?: Rules;
  /** What the owner of this machine gives to a skill beyond the least. Never taken from a model or a skill. */
  readonly grant?: (entry: SkillEntry) => RunGrant;
  /** Where files that runs produce are kept, one folder a run. Without it they are listed and dropped. */
  readonly outputs?: string;
  /** Where it is kept which tools a content declares, so that to list them it need not be run again. */
  readonly toolCache?: ToolCatalogueCache;
  /** The packages that were installed for a skill, found by the copy that is about to run. */
  readonly environment?: (copy: RunCopy) => Promise<RunEnvironment | undefined>;
  /** What a reader of the skill should know of what it lacks here. */
  readonly warnings?: (library: Library, viewer: Viewer, id: string) => Promise<readonly string[]>;
}

/** A copy of a skill that is about to run. */
export interface RunCopy {
  readonly id: string;
  readonly treeHash: string;
  readonly folder: string;
}

/** Packages that a program finds beside what its interpreter has. */
export interface RunEnvironment {
  readonly mounts: readonly Mount[];
  readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
}

export interface RunGrant {
  readonly network?: Network;
  readonly mounts?: readonly Mount[];
}
