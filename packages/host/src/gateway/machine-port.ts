import { join } from "node:path";
import type { ApprovalStore, Asker } from "@skillhold/core/approval";
import type { Scan } from "@skillhold/core/dependency";
import type { IndexCache, Viewer } from "@skillhold/core/library";
import { systemTimers } from "@skillhold/core/port";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import { keyFile, type SecretStore } from "@skillhold/core/secret";
import { cacheRuntimes, environmentHome, environmentRuns } from "@skillhold/deps/environment";
import { capabilityReader } from "@skillhold/deps/guard-scan/capability-reader";
import { type DependencyPorts, HeavyGate, type LogEntry } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { openRunner } from "@skillhold/sandbox/run";
import type { GuardScan } from "@skillhold/skill/guard";
import { openStateDatabase, SqliteSecrets } from "@skillhold/store";
import { systemCode } from "../place/io-failure.ts";
import { type Env, present } from "../place/machine.ts";
import { keepOutputs, type OutputKeeper } from "../run/kept-output.ts";
import { systemHost } from "../run/run-ports.ts";
import { chooseSandbox } from "../run/sandbox-choice.ts";
import type { CloserList } from "./closer-list.ts";

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
      findRuntime: cacheRuntimes(),
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
  readonly guardScan: GuardScan;
  /** Keeps the outputs of runs. */
  readonly keeper: OutputKeeper;
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
  guardScan,
  keeper,
}: RunOptions): (viewer: Viewer) => RunPorts {
  const chosen = sandbox ?? chooseSandbox({ env });
  const environment = environmentRuns(folder, { sandbox: chosen, limits, scan, ...present({ cache }) });
  const capabilities = capabilityReader(guardScan);
  const sandboxFor = gatedRuns(chosen);
  return (viewer) => ({
    runner: async (ports) => keepOutputs(await openRunner(ports), keeper),
    ...environment,
    capabilities,
    sandbox: sandboxFor(viewer),
    approvals,
    secrets,
    asker,
  });
}

/** Concurrent programs per viewer and in total; idle tool processes count. */
const bounds = { ofKey: 16, ofAll: 64, waiting: 256, waitMs: 30_000 } as const;

/**
 * Caps concurrent runs, because many runs together can exhaust the machine although each has limits of its own.
 */
export function gatedRuns(
  sandbox: Sandbox,
  gate: Pick<HeavyGate, "pass"> = new HeavyGate(bounds, systemTimers),
): (viewer: Viewer) => Sandbox {
  return ({ user, agent }) => {
    const key = JSON.stringify([user, agent]);
    return {
      id: sandbox.id,
      probe: () => sandbox.probe(),
      start: async (spec) => {
        const started = Promise.withResolvers<Awaited<ReturnType<Sandbox["start"]>>>();
        const work = async () => {
          const process = await sandbox.start(spec);
          started.resolve(process);
          await process.exited;
        };
        // A failure after the start reaches the caller through `exited`.
        gate.pass(key, work, spec.signal).catch(started.reject);
        return await started.promise;
      },
    };
  };
}

/** The secrets of a gateway, with a synchronous lookup for readiness checks. */
export interface SecretPort {
  readonly secrets: SecretStore;
  /** Whether a value for all agents existed after the last change by this process. */
  readonly hasSecret: (skill: string, name: string) => boolean;
}

export async function openSecrets(folder: string, closers: CloserList): Promise<SecretPort> {
  const database = closers.add(await openStateDatabase(join(folder, "state.db")), (it) => it.close());
  const keys = keyFile(join(folder, "secret.key"));
  const kept = new SqliteSecrets(database, { keys, clock: { now: () => new Date() } });
  const known = new Set<string>();
  const refresh = async () => {
    const names = await kept.list();
    known.clear();
    for (const { skill, name, agent } of names) if (agent === undefined) known.add(`${skill} ${name}`);
  };
  await refresh();
  const secrets: SecretStore = {
    list: (scope) => kept.list(scope),
    open: (scope, names) => kept.open(scope, names),
    set: async (scope, name, value) => {
      await kept.set(scope, name, value);
      await refresh();
    },
    remove: async (scope, name) => {
      const wasThere = await kept.remove(scope, name);
      await refresh();
      return wasThere;
    },
  };
  return { secrets, hasSecret: (skill, name) => known.has(`${skill} ${name}`) };
}
