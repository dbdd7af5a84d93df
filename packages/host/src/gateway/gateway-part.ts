import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { findRealPath } from "@skillhold/core/bundle";
import type { Library } from "@skillhold/core/library";
import { type AuditSink, type Clock, systemTimers } from "@skillhold/core/port";
import type { Sandbox } from "@skillhold/core/run";
import { nodeHost } from "@skillhold/core/source";
import { ScanProcess } from "@skillhold/deps/scan-process";
import type { Runner } from "@skillhold/eval";
import { type GatewayContext, type LogEntry, Progress, registryInbox } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { privateKeyFile, RegistryAudit, verifyAudit } from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { recoverFolders } from "@skillhold/registry/proposal";
import { RegistryAsker, registryApprovals } from "@skillhold/registry/question";
import type { RegistryContext } from "@skillhold/registry/record";
import { guardHook } from "@skillhold/registry/release";
import { WorkspaceHost } from "@skillhold/registry/workspace";
import { SqliteCache } from "@skillhold/store";
import { installService } from "../install/install-service.ts";
import { followNotices, loadWarnings } from "../library/load-notice.ts";
import { bundledPages, bundledSkills, productVersion } from "../place/bundled.ts";
import { cacheFile, dataFolder, makeDataFolder, openTemporary } from "../place/data-folder.ts";
import { type Machine, type ProcessContext, present } from "../place/machine.ts";
import { copiesFolder, showStore } from "../place/store-address.ts";
import { guardPorts } from "../run/guard-ports.ts";
import type { OutputKeeper } from "../run/kept-output.ts";
import { missingHook } from "../run/missing-hook.ts";
import { freshSandbox } from "../run/sandbox-choice.ts";
import { openModels } from "../search/search-model.ts";
import type { GatewayLayerSettings } from "../source/gateway-layer.ts";
import { checkpointsOf, findOwnKey, openSignedStore } from "../store/audit-store.ts";
import { DiscoveryLog } from "../store/discovery-log.ts";
import { STORE_LABEL } from "../store/registry-layer.ts";
import { secretKeys } from "../store/state.ts";
import { withWaitNotice } from "../store/wait-notice.ts";
import type { CloserList } from "./closer-list.ts";
import { openDependencies, openRuns, openSecrets } from "./machine-port.ts";
import { mcpMount } from "./mcp-mount.ts";
import { openServedLibrary } from "./served-library.ts";
import { webhookPost } from "./webhook-post.ts";

/** The parts of a gateway, except for those that depend on its port. */
export interface GatewayParts {
  readonly context: Omit<GatewayContext, "options">;
  /** The folder of uploads in progress. */
  readonly temporary: string;
  /** Sets the address that messages link to, once it is known. */
  readonly announce: (url: string) => void;
}

export interface GatewayPartOptions {
  readonly machine: Machine;
  readonly url: string;
  /** Folders that are served along with the store. */
  readonly roots: readonly string[];
  /** The folder of the workspaces that are hosted here. */
  readonly workspaces?: string | undefined;
  /** Whether the folders are watched for changes. */
  readonly isWatched: boolean;
  /** Whether their skills that break the specification are rejected. */
  readonly strict: boolean;
  readonly governed?: boolean;
  /** Other gateways whose skills are served, too. */
  readonly gateways: readonly GatewayLayerSettings[];
  readonly log: (entry: LogEntry) => void;
  readonly limits: Limits;
  readonly openPublishing?: boolean;
  readonly reviewers?: RegistryContext["reviewers"];
  readonly promotions?: RegistryContext["promotion"];
  /** Private hosts that may be notified. */
  readonly webhookHosts?: readonly string[];
  /** The agent that writes the drafts of promoted skills. */
  readonly author?: Runner | undefined;
  readonly sandbox?: Sandbox;
  /** Aborted when the gateway begins to shut down. */
  readonly closing: AbortSignal;
}

/** Opens the parts of a gateway. Everything opened is on the closer list, even when a later part fails. */
export async function openParts(options: GatewayPartOptions, closers: CloserList): Promise<GatewayParts> {
  const { machine: place, url, log, closing, limits } = options;
  const { env } = place;
  const folder = dataFolder(env);
  await makeDataFolder(folder);
  const copies = copiesFolder(url, env);
  const { cache, store, audit, checkpoints, keeper } = await openRecords(options, closers);
  const { secrets, hasSecret } = await openSecrets(folder, closers);
  const host = gatewayHost(place, hasSecret);
  const { scan, guardScan, onGuardScan } = openScans(closers);
  const machine = { env, folder, limits, scan, ...present({ cache, sandbox: options.sandbox }) };
  const dependencies = await openDependencies({ ...machine, copies, closing, log });
  const registry: RegistryContext = {
    ...{ store, clock: { now: () => new Date() }, ids: { next: randomUUID }, limits, scan },
    hooks: hooksOf(env, guardScan, dependencies),
    ...{ ...rulesOf(options), ...(await authorPart(options, folder)) },
  };
  const { skills, library, sources, onReload } = await openSkills(
    options,
    { registry, host, copies, cache, audit },
    closers,
  );
  const approvals = registryApprovals(store);
  const { clock, ids } = registry;
  const { announce, link, address } = consolePage();
  const asker = closers.add(new RegistryAsker({ store, audit, clock, ids, limits, link }), (it) =>
    it.close(),
  );
  // Pending questions are refused at once, so that the grace period is left for running work.
  closing.addEventListener("abort", () => void asker.close(), { once: true });
  const runs = openRuns({ ...machine, guardScan, approvals, secrets, asker, keeper });
  return {
    temporary: await openTemporary(join(folder, "incoming")),
    announce,
    context: {
      ...{
        registry,
        timers: systemTimers,
        library,
        skills,
        audit,
        host,
        approvals,
        sources,
        log,
        closing,
        secrets,
        ...{ runs, guardScan, onGuardScan, webhooks: webhookPorts(options, address) },
      },
      ...triggerEvals(library, clock),
      inbox: registryInbox(asker),
      mounts: [mcpMount({ registry, library, skills, audit, runs, log })],
      progress: new Progress(),
      onReload,
      sandbox: options.sandbox ?? { id: freshSandbox().id, probe: () => freshSandbox().probe() },
      verifyAudit: async (signal) => {
        const keys = [await findOwnKey(url, place)].filter((key) => key !== undefined);
        return await verifyAudit(store, { keys, witnessed: await checkpoints.read(), signal });
      },
      version: productVersion(),
      startedAt: clock.now().toISOString(),
      ...(await workspaceParts(options, folder)),
      ...present({
        dependencies,
        ...bundledPages(),
        installs: installService({ ...machine, guardScan }),
      }),
    },
  };
}

/** Ranks skills for their trigger queries. Evals are loaded on demand: most gateways never score. */
function triggerEvals(
  library: Library,
  clock: Clock,
): Required<Pick<GatewayContext, "scoreTriggers" | "compareTriggers">> {
  return {
    scoreTriggers: async ({ skill, treeHash }, viewer) => {
      const { scoreOffline } = await import("@skillhold/eval");
      const report = await scoreOffline({ skill, treeHash, at: clock.now() }, { library, viewer });
      return report && { ...report, treeHash };
    },
    compareTriggers: async (pair, viewer) => {
      const { compareTriggers } = await import("@skillhold/eval");
      return await compareTriggers(pair, { library, viewer });
    },
  };
}

function webhookPorts(
  { machine, webhookHosts = [], limits }: GatewayPartOptions,
  address: () => string | undefined,
): NonNullable<GatewayContext["webhooks"]> {
  return { keys: secretKeys(machine.env), post: webhookPost(webhookHosts, limits), address };
}

/** The hosted workspaces, and the key that signs agent cards. */
async function workspaceParts(
  { workspaces, machine, limits }: GatewayPartOptions,
  data: string,
): Promise<Pick<GatewayContext, "workspaces" | "cardKey">> {
  const title = "The key file of agent cards";
  const cardKey = await privateKeyFile(join(data, "agent-card.key"), { title });
  if (workspaces === undefined) return { cardKey };
  const root = findRealPath(resolve(machine.cwd, workspaces));
  if (root !== undefined) return { cardKey, workspaces: new WorkspaceHost(root, limits) };
  throw new SkillError("PATH_NOT_FOUND", `The folder of workspaces ${workspaces} does not exist.`, {
    hint: "Create it, or correct --workspaces.",
  });
}

/** Who may make skills public, who reviews proposals, and when promoted skills are available. */
function rulesOf({
  openPublishing = false,
  promotions = "agent",
  reviewers,
}: GatewayPartOptions): Pick<RegistryContext, "publicBy" | "promotion" | "reviewers"> {
  return {
    publicBy: openPublishing ? "publisher" : "admin",
    promotion: promotions,
    ...present({ reviewers }),
  };
}

/** Writes drafts with the configured agent. Evals are loaded on demand: most gateways have no such agent. */
async function authorPart(
  { author: runner, log, closing: signal }: GatewayPartOptions,
  data: string,
): Promise<Pick<RegistryContext, "author">> {
  if (runner === undefined) return {};
  const { skillAuthor } = await import("@skillhold/eval");
  const place = await openTemporary(join(data, "authoring"));
  const onFailure = (message: string) => log({ level: "warning", event: "promotion.template", message });
  const author = skillAuthor(
    { skills: bundledSkills(), place, limits: AUTHOR_LIMITS, signal },
    { runner, timers: systemTimers, onFailure },
  );
  return { author };
}

/** A client of a gateway waits for the draft. */
const AUTHOR_LIMITS = { maxTurns: 20, maxTokens: 200_000, timeoutMs: 120_000 } as const;

/** The address of the console, and its page on which people answer questions. */
function consolePage() {
  let address: string | undefined;
  return {
    announce: (url: string) => {
      address = url;
    },
    address: () => address,
    link: () => (address === undefined ? undefined : `${address}/approvals`),
  };
}

/** Opens the registry as a library, with served folders layered above it. */
async function openSkills(
  {
    machine: place,
    url,
    roots,
    isWatched,
    strict,
    governed = false,
    gateways,
    log,
    limits,
  }: GatewayPartOptions,
  parts: {
    readonly registry: RegistryContext;
    readonly host: GatewayContext["host"];
    readonly copies: string;
    readonly cache: SqliteCache | undefined;
    readonly audit: AuditSink;
  },
  closers: CloserList,
) {
  const { registry, host, copies } = parts;
  await recoverFolders(registry.store);
  const cache = present({ cache: parts.cache });
  const onError = (error: unknown) => log({ level: "error", event: "library.failed", error });
  const { ports: models } = closers.add(await openModels(place), (it) => it.close());
  const names = { label: STORE_LABEL, copies, name: showStore(url, place), ...cache };
  // Only the top library is searched.
  const own = roots.length + gateways.length === 0 ? present({ models }) : {};
  const skills = await openRegistryLibrary({ host, ...names, ...own, watch: true, onError }, registry);
  const discoveries = new DiscoveryLog({
    audit: parts.audit,
    log: registry.store,
    cache: parts.cache,
    name: url,
    onError: (error) => log({ level: "error", event: "discovery.unrecorded", error }),
  });
  closers.add(discoveries, (it) => it.save());
  const listeners = new Set<(ms: number) => void>();
  const served = {
    ...{ roots, gateways, machine: place, host, skills, limits, onError, vectors: registry.store.vectors },
    onProblem: (source: string, { code, message }: SkillError) =>
      log({ level: "warning", event: "source.skipped", message, fields: { source, code } }),
    audit: discoveries,
    onReload: (ms: number) => listeners.forEach((listener) => void listener(ms)),
    isWatched,
    strict,
    ...(governed ? { governedBy: registry } : {}),
    onWarning: (message: string) => log({ level: "warning", event: "governed.problem", message }),
    ...cache,
    ...present({ models }),
  };
  const { library, sources } = await openServedLibrary(served, closers);
  followNotices(
    library,
    (ids) => {
      const view = library.view();
      return loadWarnings(ids?.flatMap((id) => view.find(id) ?? []) ?? view.entries);
    },
    ({ id, code, message }) =>
      log({ level: "warning", event: "skill.warning", message, fields: { id, code } }),
  );
  const onReload = (listener: (ms: number) => void) => void listeners.add(listener);
  return { skills, library, sources, onReload };
}

/** Opens the index cache, the signed store and its audit log. */
async function openRecords({ machine, url, log, limits }: GatewayPartOptions, closers: CloserList) {
  const file = cacheFile(machine.env);
  const cache = file === undefined ? undefined : closers.add(new SqliteCache(file), (it) => it.close());
  const opened = await withWaitNotice(waitWarning(log), () =>
    openSignedStore(url, machine, {
      onCheckpointFailure: (error) => log({ level: "warning", event: "audit.checkpoint_failed", error }),
    }),
  );
  const store = closers.add(opened, (it) => it.close());
  // A gateway that cannot record would fail with its first request.
  await withWaitNotice(waitWarning(log), () => store.checkLog());
  const checkpoints = checkpointsOf(url, machine);
  const audit = closers.add(new RegistryAudit(store), (it) => it.close());
  const keeper: OutputKeeper = {
    limits,
    keep: (output) => store.transaction((tx) => tx.putRunOutput(output)),
    onError: (error) => log({ level: "warning", event: "run.output_not_kept", error }),
  };
  return { cache, store, audit, checkpoints, keeper };
}

/** Skills are scanned in another process, so that a large upload neither blocks the event loop nor keeps memory. */
function openScans(closers: CloserList): {
  readonly scan: ScanProcess["scan"];
  readonly guardScan: ScanProcess["guard"];
  readonly onGuardScan: NonNullable<GatewayContext["onGuardScan"]>;
} {
  const { scan, guard } = closers.add(new ScanProcess(), (it) => it.close());
  const listeners = new Set<Parameters<NonNullable<GatewayContext["onGuardScan"]>>[0]>();
  const guardScan: ScanProcess["guard"] = async (files, options) => {
    const started = systemTimers.now();
    let outcome: Awaited<ReturnType<ScanProcess["guard"]>>["verdict"] | "failed" = "failed";
    try {
      const report = await guard(files, options);
      outcome = report.verdict;
      return report;
    } finally {
      for (const listener of listeners) listener(systemTimers.now() - started, outcome);
    }
  };
  return { scan, guardScan, onGuardScan: (listener) => void listeners.add(listener) };
}

/** The checks of a skill before it is published. */
function hooksOf(
  env: Machine["env"],
  scan: ScanProcess["guard"],
  dependencies: Parameters<typeof missingHook>[0] | undefined,
): NonNullable<RegistryContext["hooks"]> {
  const inspect = guardHook({ ...guardPorts(env), scan });
  return dependencies === undefined ? { inspect } : { inspect, missing: missingHook(dependencies) };
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
