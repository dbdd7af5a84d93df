import type { ApprovalStore, Asker } from "@skillhold/core/approval";
import type { Scan } from "@skillhold/core/dependency";
import type { IndexCache, Viewer } from "@skillhold/core/library";
import type { RunPorts } from "@skillhold/core/run";
import type { SecretStore } from "@skillhold/core/secret";
import { environmentHome, environmentRuns, rememberRuntimes } from "@skillhold/deps/environment";
import type { DependencyPorts, LogEntry } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { openRunner } from "@skillhold/sandbox/run";
import { currentHost } from "../installing.ts";
import { systemCode } from "../io-failure.ts";
import { present } from "../option.ts";
import type { Io } from "../output.ts";
import { chooseSandbox } from "../sandbox-choice.ts";
import { gatedRuns } from "./run-gate.ts";

interface MachineOptions {
  readonly io: Pick<Io, "env">;
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

/** What it takes to look at dependencies; undefined where nothing could be installed, and then they are not looked at. */
export async function openDependencies({
  io,
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
      host: currentHost(io),
      sandbox: chooseSandbox(io),
      findRuntime: rememberRuntimes(),
      limits,
      signal: closing,
      scan,
      ...present({ cache }),
    };
  } catch (error) {
    if (!(error instanceof SkillError) && systemCode(error) === undefined) throw error;
    log({ level: "warning", event: "deps.off", message: "What skills need is not looked at.", error });
    return undefined;
  }
}

export interface RunOptions extends MachineOptions {
  readonly approvals: ApprovalStore;
  readonly secrets: SecretStore;
  readonly asker: Asker;
}

/** What sessions run skills with: always in the sandbox, and without variables or files of whoever started the gateway. */
export function openRuns({
  io,
  folder,
  approvals,
  secrets,
  asker,
  limits,
  cache,
  scan,
}: RunOptions): (viewer: Viewer) => RunPorts {
  const sandbox = chooseSandbox(io);
  const environment = environmentRuns(folder, { sandbox, limits, scan, ...present({ cache }) });
  const sandboxFor = gatedRuns(sandbox);
  return (viewer) => ({
    runner: openRunner,
    ...environment,
    sandbox: sandboxFor(viewer),
    approvals,
    secrets,
    asker,
  });
}
