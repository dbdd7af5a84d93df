import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { nodeHost } from "@skillhold/core/source";
import { ScanThread } from "@skillhold/deps/scan-thread";
import { type GatewayContext, type LogEntry, Progress, registryDesk } from "@skillhold/gateway";
import type { Limits } from "@skillhold/protocol/limits";
import { RegistryAudit, verifyAudit } from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { QuestionDesk, registryApprovals } from "@skillhold/registry/question";
import type { RegistryContext } from "@skillhold/registry/record";
import { SqliteCache } from "@skillhold/store";
import { checkpointsOf, findOwnKey, openSignedStore } from "../audit-store.ts";
import { bundledConsole } from "../bundled-console.ts";
import { cacheFile } from "../cache-file.ts";
import { dataFolder } from "../data-folder.ts";
import { missingHook } from "../missing-hook.ts";
import { present } from "../option.ts";
import type { Io } from "../output.ts";
import { withPatience } from "../patience.ts";
import { readVersion } from "../product-version.ts";
import { STORE_LABEL } from "../registry-layer.ts";
import { freshSandbox } from "../sandbox-choice.ts";
import { copiesFolder, showStore } from "../store-address.ts";
import type { CloserList } from "./closer-list.ts";
import { makeDataFolder } from "./data-place.ts";
import { tellWaiting } from "./gateway-log.ts";
import { openDependencies, openRuns } from "./machine-port.ts";
import { mcpMount } from "./mcp-mount.ts";
import { openSecrets } from "./secret-port.ts";
import { openServedLibrary } from "./served-library.ts";
import { openTemporary } from "./temporary-folder.ts";

/** What a gateway is made of, but for what depends on its port. */
export interface GatewayParts {
  readonly context: Omit<GatewayContext, "options">;
  /** Where uploads lie while they are received. */
  readonly temporary: string;
}

export interface PartOptions {
  readonly io: Io;
  readonly url: string;
  /** Folders that are served beside the store. */
  readonly roots: readonly string[];
  readonly log: (entry: LogEntry) => void;
  readonly limits: Limits;
  /** Aborted when the gateway begins to shut down. */
  readonly closing: AbortSignal;
}

/** Opens what a gateway is made of. What was opened is on the list, also when something fails. */
export async function openParts(options: PartOptions, closers: CloserList): Promise<GatewayParts> {
  const { io, url, roots, log, closing, limits } = options;
  const folder = dataFolder(io.env);
  await makeDataFolder(folder);
  const copies = copiesFolder(url, io.env);
  const file = cacheFile(io.env);
  const cache = file === undefined ? undefined : closers.add(new SqliteCache(file), (it) => it.close());
  const store = closers.add(await withPatience(tellWaiting(log), () => openSignedStore(url, io)), (it) =>
    it.close(),
  );
  const notes = checkpointsOf(url, io);
  const witness = (note: string) => notes.append(note);
  const audit = closers.add(new RegistryAudit(store, { witness }), (it) => it.close());
  const { secrets, hasSecret } = await openSecrets(folder, closers);
  const host = gatewayHost(io, hasSecret);
  // Whoever publishes must not keep everyone else waiting.
  const { scan } = closers.add(new ScanThread(), (it) => it.close());
  const machine = { io, folder, limits, scan, ...present({ cache }) };
  const dependencies = await openDependencies({ ...machine, copies, closing, log });
  const registry: RegistryContext = {
    ...{ store, clock: { now: () => new Date() }, ids: { next: randomUUID }, limits, scan },
    ...(dependencies === undefined ? {} : { hooks: { missing: missingHook(dependencies) } }),
  };
  const onError = (error: unknown) => log({ level: "error", event: "library.failed", error });
  const place = { label: STORE_LABEL, copies, name: showStore(url, io), ...present({ cache }) };
  const skills = await openRegistryLibrary({ host, ...place, watch: true, onError }, registry);
  const reloads = new Set<(ms: number) => void>();
  const onReload = (ms: number) => reloads.forEach((listener) => void listener(ms));
  const { library, sources } = await openServedLibrary(
    { roots, io, host, skills, limits, onError, onReload, ...present({ cache }) },
    closers,
  );
  const approvals = registryApprovals(store);
  const { clock, ids } = registry;
  const desk = closers.add(new QuestionDesk({ store, audit, clock, ids, limits }), (it) => it.close());
  // Who waits for a yes is told at once that none will come: the time to end is for what works.
  closing.addEventListener("abort", () => void desk.close(), { once: true });
  const runs = openRuns({ ...machine, approvals, secrets, asker: desk });
  return {
    temporary: await openTemporary(join(folder, "incoming")),
    context: {
      ...{
        registry,
        library,
        skills,
        audit,
        host,
        approvals,
        sources,
        log,
        closing,
        secrets,
        runs,
      },
      desk: registryDesk(desk),
      mounts: [mcpMount({ registry, library, audit, runs, log })],
      progress: new Progress(),
      onReload: (listener) => void reloads.add(listener),
      sandbox: { id: freshSandbox().id, probe: () => freshSandbox().probe() },
      verifyAudit: async (signal) => {
        const key = await findOwnKey(io);
        const keys = key === undefined ? [] : [key];
        return await verifyAudit(store, { keys, witnessed: await notes.read(), signal });
      },
      version: readVersion(),
      startedAt: clock.now().toISOString(),
      ...present({ dependencies, console: bundledConsole() }),
    },
  };
}

/**
 * The machine as skills at a gateway find it. They get secrets and no variables or files of whoever started it: what a
 * publisher declares must not be a way to read them.
 */
function gatewayHost({ env, cwd }: Pick<Io, "env" | "cwd">, hasSecret: HasSecret): GatewayContext["host"] {
  const { PATH, PATHEXT } = env;
  const host = nodeHost({ env: { PATH, PATHEXT }, platform: process.platform, cwd, hasSecret });
  return { ...host, hasEnv: (name, skill) => hasSecret(skill, name), hasConfig: () => false };
}

type HasSecret = (skill: string, name: string) => boolean;
