import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Sandbox } from "@skillhold/core/run";
import { nodeHost } from "@skillhold/core/source";
import { ScanThread } from "@skillhold/deps/scan-thread";
import { type GatewayContext, type LogEntry, Progress, registryDesk } from "@skillhold/gateway";
import type { Limits } from "@skillhold/protocol/limits";
import { RegistryAudit, verifyAudit } from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { QuestionDesk, registryApprovals } from "@skillhold/registry/question";
import type { RegistryContext } from "@skillhold/registry/record";
import { SqliteCache } from "@skillhold/store";
import { bundledConsole, productVersion } from "../place/bundled.ts";
import { cacheFile, dataFolder, makeDataFolder, openTemporary } from "../place/data-folder.ts";
import { type Machine, type ProcessContext, present } from "../place/machine.ts";
import { copiesFolder, showStore } from "../place/store-address.ts";
import { missingHook } from "../run/missing-hook.ts";
import { freshSandbox } from "../run/sandbox-choice.ts";
import { checkpointsOf, findOwnKey, openSignedStore } from "../store/audit-store.ts";
import { STORE_LABEL } from "../store/registry-layer.ts";
import { withWaitNotice } from "../store/wait-notice.ts";
import type { CloserList } from "./closer-list.ts";
import { openDependencies, openRuns, openSecrets } from "./machine-port.ts";
import { mcpMount } from "./mcp-mount.ts";
import { openServedLibrary } from "./served-library.ts";

/** The parts of a gateway, except for those that depend on its port. */
export interface GatewayParts {
  readonly context: Omit<GatewayContext, "options">;
  /** The folder of uploads in progress. */
  readonly temporary: string;
}

export interface GatewayPartOptions {
  readonly machine: Machine;
  readonly url: string;
  /** Folders that are served along with the store. */
  readonly roots: readonly string[];
  readonly log: (entry: LogEntry) => void;
  readonly limits: Limits;
  readonly sandbox?: Sandbox;
  /** Aborted when the gateway begins to shut down. */
  readonly closing: AbortSignal;
}

/** Opens the parts of a gateway. Everything opened is on the closer list, even when a later part fails. */
export async function openParts(options: GatewayPartOptions, closers: CloserList): Promise<GatewayParts> {
  const { machine: place, url, roots, log, closing, limits } = options;
  const { env } = place;
  const folder = dataFolder(env);
  await makeDataFolder(folder);
  const copies = copiesFolder(url, env);
  const { cache, store, audit, checkpoints } = await openRecords(options, closers);
  const { secrets, hasSecret } = await openSecrets(folder, closers);
  const host = gatewayHost(place, hasSecret);
  // A large upload must not block the event loop.
  const { scan } = closers.add(new ScanThread(), (it) => it.close());
  const machine = { env, folder, limits, scan, ...present({ cache, sandbox: options.sandbox }) };
  const dependencies = await openDependencies({ ...machine, copies, closing, log });
  const registry: RegistryContext = {
    ...{ store, clock: { now: () => new Date() }, ids: { next: randomUUID }, limits, scan },
    ...(dependencies === undefined ? {} : { hooks: { missing: missingHook(dependencies) } }),
  };
  const onError = (error: unknown) => log({ level: "error", event: "library.failed", error });
  const names = { label: STORE_LABEL, copies, name: showStore(url, place), ...present({ cache }) };
  const skills = await openRegistryLibrary({ host, ...names, watch: true, onError }, registry);
  const reloads = new Set<(ms: number) => void>();
  const onReload = (ms: number) => reloads.forEach((listener) => void listener(ms));
  const { library, sources } = await openServedLibrary(
    { roots, machine: place, host, skills, limits, onError, onReload, ...present({ cache }) },
    closers,
  );
  const approvals = registryApprovals(store);
  const { clock, ids } = registry;
  const desk = closers.add(new QuestionDesk({ store, audit, clock, ids, limits }), (it) => it.close());
  // Pending questions are refused at once, so that the grace period is left for running work.
  closing.addEventListener("abort", () => void desk.close(), { once: true });
  const runs = openRuns({ ...machine, approvals, secrets, asker: desk });
  return {
    temporary: await openTemporary(join(folder, "incoming")),
    context: {
      ...{ registry, library, skills, audit, host, approvals, sources, log, closing, secrets, runs },
      desk: registryDesk(desk),
      mounts: [mcpMount({ registry, library, audit, runs, log })],
      progress: new Progress(),
      onReload: (listener) => void reloads.add(listener),
      sandbox: options.sandbox ?? { id: freshSandbox().id, probe: () => freshSandbox().probe() },
      verifyAudit: async (signal) => {
        const key = await findOwnKey(place);
        const keys = key === undefined ? [] : [key];
        return await verifyAudit(store, { keys, witnessed: await checkpoints.read(), signal });
      },
      version: productVersion(),
      startedAt: clock.now().toISOString(),
      ...present({ dependencies, console: bundledConsole() }),
    },
  };
}

/** Opens the index cache, the signed store and its audit log. */
async function openRecords({ machine, url, log }: GatewayPartOptions, closers: CloserList) {
  const file = cacheFile(machine.env);
  const cache = file === undefined ? undefined : closers.add(new SqliteCache(file), (it) => it.close());
  const opened = await withWaitNotice(waitWarning(log), () => openSignedStore(url, machine));
  const store = closers.add(opened, (it) => it.close());
  const checkpoints = checkpointsOf(url, machine);
  const witness = (note: string) => checkpoints.append(note);
  const audit = closers.add(new RegistryAudit(store, { witness }), (it) => it.close());
  return { cache, store, audit, checkpoints };
}

/**
 * The machine as skills at a gateway see it: secrets, but no environment variables or files of the gateway, which a
 * publisher could otherwise read by declaring them.
 */
function gatewayHost({ env, cwd }: ProcessContext, hasSecret: HasSecret): GatewayContext["host"] {
  const { PATH, PATHEXT } = env;
  const host = nodeHost({ env: { PATH, PATHEXT }, platform: process.platform, cwd, hasSecret });
  return { ...host, hasEnv: (name, skill) => hasSecret(skill, name), hasConfig: () => false };
}

type HasSecret = (skill: string, name: string) => boolean;

/** Reports a wait for the store's lock in the log. */
export function waitWarning(log: (entry: LogEntry) => void): (message: string) => void {
  return (message) => log({ level: "warning", event: "store.waiting", message });
}
