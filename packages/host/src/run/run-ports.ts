import type { ApprovalStore, Asker } from "@skillhold/core/approval";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import type { SecretStore } from "@skillhold/core/secret";
import { environmentRuns, type SystemHost } from "@skillhold/deps/environment";
import { capabilityReader } from "@skillhold/deps/guard-scan/capability-reader";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { unconfined } from "@skillhold/sandbox/backend";
import { findConfig, openRunner } from "@skillhold/sandbox/run";
import { dataFolder } from "../place/data-folder.ts";
import { type Env, type ProcessContext, present } from "../place/machine.ts";
import { chooseSandbox } from "./sandbox-choice.ts";

export interface RunChoice {
  readonly approvals: ApprovalStore;
  readonly secrets: SecretStore;
  readonly asker?: Asker | undefined;
  readonly sandbox?: Sandbox;
  readonly limits?: Limits;
}

/** The ports of a session that runs scripts on this machine for its own user. */
export function localRunPorts({ env, cwd }: ProcessContext, choice: RunChoice): RunPorts {
  const { approvals, secrets, asker, limits = defaultLimits } = choice;
  const sandbox = choice.sandbox ?? chooseSandbox({ env });
  return {
    runner: openRunner,
    sandbox,
    ...environmentRuns(dataFolder(env), { sandbox, limits }),
    capabilities: capabilityReader(),
    approvals,
    secrets,
    env: (name) => env[name],
    config: (path) => findConfig(path, { home: env["HOME"], cwd }),
    ...present({ asker, unsandboxed: allowsUnsandboxed(env) ? unconfined() : undefined }),
  };
}

/** The first of the two switches for unsandboxed runs; the second is part of each run. */
export function allowsUnsandboxed(env: Env): boolean {
  return env["SKILLHOLD_ALLOW_UNSANDBOXED"] === "1";
}

/** This machine as an installer of system packages sees it. */
export function systemHost({ env }: { readonly env: Env }): SystemHost {
  return {
    env,
    platform: process.platform,
    osRelease: "/etc/os-release",
    isRoot: process.getuid?.() === 0,
  };
}
