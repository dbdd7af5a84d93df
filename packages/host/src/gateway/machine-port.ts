import type { ApprovalStore, Asker } from "@skillhold/core/approval";
import type { Scan } from "@skillhold/core/dependency";
import type { IndexCache, Viewer } from "@skillhold/core/library";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import type { SecretStore } from "@skillhold/core/secret";
import { environmentHome, environmentRuns, rememberRuntimes } from "@skillhold/deps/environment";
import type { DependencyPorts, LogEntry } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { openRunner } from "@skillhold/sandbox/run";
import { systemCode } from "../place/io-failure.ts";
import { type Env, present } from "../place/machine.ts";
import { systemHost } from "../run/run-ports.ts";
import { chooseSandbox } from "../run/sandbox-choice.ts";
import { gatedRuns } from "./run-gate.ts";

interface MachineOptions {
  readonly env: Env;
  readonly sandbox?: Sandbox;
  /** The data folder. */
  readonly folder: string;
  readonly cache?: IndexCache;
  readonly scan: Scan;
  readonly limits: Limits;
}

export interface DependencyOptions extends MachineOptions {
  readonly copies: string;
  readonly closing: AbortSignal;
  readonly log: (entry: LogEntry) => void;
}

/** The ports of dependency checks; undefined where the data folder cannot hold environments, and checks are off. */
export async function openDependencies({
  env,
  sandbox,
  folder,
  copies,
  closing,
  log,
  limits,
  cache,
  scan,
}: DependencyOptions): Promise<DependencyPorts | undefined> {
  try {
    return {
      home: await environmentHome(folder),
      copies,
      host: systemHost({ env }),
      sandbox: sandbox ?? chooseSandbox({ env }),
      findRuntime: rememberRuntimes(),
      limits,
      signal: closing,
      scan,
      ...present({ cache }),
    };
  } catch (error) {
    if (!(error instanceof SkillError) && systemCode(error) === undefined) throw error;
    log({ level: "warning", event: "deps.off", message: "Dependency checks are off.", error });
    return undefined;
  }
}

export interface RunOptions extends MachineOptions {
  readonly approvals: ApprovalStore;
  readonly secrets: SecretStore;
  readonly asker: Asker;
}

/** The run ports of sessions: always sandboxed, without environment variables or files of the gateway. */
export function openRuns({
  env,
  sandbox,
  folder,
  approvals,
  secrets,
  asker,
  limits,
  cache,
  scan,
}: RunOptions): (viewer: Viewer) => RunPorts {
  const chosen = sandbox ?? chooseSandbox({ env });
  const environment = environmentRuns(folder, { sandbox: chosen, limits, scan, ...present({ cache }) });
  const sandboxFor = gatedRuns(chosen);
  return (viewer) => ({
    runner: openRunner,
    ...environment,
    sandbox: sandboxFor(viewer),
    approvals,
    secrets,
    asker,
  });
}
