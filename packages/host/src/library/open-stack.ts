import {
  type AccessSettings,
  type FolderState,
  type IndexedLibrary,
  isOpenTo,
  type LiveReloadOptions,
  openLayeredLibrary,
  openLibrary,
  type Viewer,
} from "@skillhold/core/library";
import type { AuditSink } from "@skillhold/core/port";
import type { AgentManifest } from "@skillhold/core/session";
import { nodeHost, orderSources, type Precedence, type Source } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { type Limits, withLimits } from "@skillhold/protocol/limits";
import { SqliteCache } from "@skillhold/store";
import { cacheFile } from "../place/data-folder.ts";
import { type Machine, present } from "../place/machine.ts";
import { showStore, storeUrl } from "../place/store-address.ts";
import { userName } from "../place/user-name.ts";
import { openModels } from "../search/search-model.ts";
import { chooseFolders, type FolderChoice } from "../source/folder-source.ts";
import { type GatewayLayerSettings, openGatewayLayers } from "../source/gateway-layer.ts";
import { chooseMcpSources } from "../source/mcp-source.ts";
import { type McpLayer, type McpLayerOptions, openMcpLayers } from "../source/mcp-source-layer.ts";
import {
  chooseStore,
  isStoreAlone,
  isStoreEmpty,
  type LayerOptions,
  openRegistryLayer,
  type RegistryLayer,
  readDisabledFolders,
  STORE_LABEL,
  type StoreChoice,
} from "../store/registry-layer.ts";
import { findSecrets } from "../store/state.ts";
import { disclosureTo, type LibraryCandidate } from "./disclosure.ts";
import type { GovernOptions } from "./governed-source.ts";
import { followShadowing, openUserLog, type StackLog } from "./stack-log.ts";
import { chooseViewer, type ViewerChoice } from "./viewer-choice.ts";

/** Which skills to open, and for whom. The fields have the names of the command line's options. */
export interface StackChoice extends FolderChoice, StoreChoice, ViewerChoice {
  /** Which source wins when two have a skill of the same id. */
  readonly precedence?: Precedence;
  /** False leaves out the skills of MCP servers. */
  readonly mcp?: boolean;
  /** Other gateways whose skills are used beside those of this machine. */
  readonly gateways?: readonly GatewayLayerSettings[];
  /** False reads every skill again. */
  readonly cache?: boolean;
  readonly role?: string;
}

export interface StackOptions {
  /** Whether the search uses the configured models. Only the top library is searched. */
  readonly usesModels?: boolean;
  readonly watch?: LiveReloadOptions;
  readonly limits?: Limits;
  /** Receives the failure of a store that cannot be opened and is then left out; without it, opening fails. */
  readonly onStoreFailure?: (error: SkillError) => void;
  /** True for a caller that reads the skills once: a store without skills is left out, because opening it takes longer. */
  readonly skipsEmptyStore?: boolean;
  /** Replaces the user's log. */
  readonly audit?: StackLog;
  readonly onProgress?: (progress: { readonly skills: number; readonly folders: number }) => void;
  readonly onServerProgress?: McpLayerOptions["onProgress"];
}

/** Folders, store, MCP servers and other gateways as one library, with its viewer. */
export interface Stack {
  readonly library: IndexedLibrary;
  /** Every candidate and every searched folder that may be disclosed to the viewer. */
  readonly inspect: () => FolderState;
  readonly viewer: Viewer;
  /** The manifest of the viewer's agent, which its sessions apply. */
  readonly manifest: AgentManifest | undefined;
  /** Records disclosed content in the user's log. Without a store or a data folder, no log is kept. */
  readonly audit: AuditSink;
  /** Whether a candidate that the viewer does not see may be disclosed to the user. */
  readonly isDisclosed: (candidate: LibraryCandidate) => boolean;
  readonly precedence: Precedence;
  /** In the order in which they win. */
  readonly sources: readonly Source[];
  readonly store: Pick<RegistryLayer, "library" | "address" | "engine" | "context"> | undefined;
  /** The address of a store that was left out because it has no skills. */
  readonly emptyStore?: string;
  /** The MCP servers, including those that do not answer. */
  readonly mcp: readonly McpLayer[];
  readonly close: () => Promise<void>;
}

/** The cache keeps scans by their limits, so all callers share these. */
const HITS = 1000;
const discoveredLimits = withLimits({ searchHits: HITS });
/** A folder that the user names is searched deeper than one that is discovered. */
const namedLimits = withLimits({ searchHits: HITS, discoveryDepth: 16 });

/** Opens the library of a choice. Contract: the caller closes the stack. */
export async function openStack(
  choice: StackChoice,
  machine: Machine,
  options: StackOptions = {},
): Promise<Stack> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (let step = closers.pop(); step !== undefined; step = closers.pop()) await step();
  };
  try {
    const stack = await openLayers(choice, machine, options, (step) => void closers.push(step));
    return { ...stack, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openLayers(
  choice: StackChoice,
  machine: Machine,
  { watch, onProgress, ...options }: StackOptions,
  onClose: (step: () => unknown) => void,
): Promise<Omit<Stack, "close">> {
  const { root = [], precedence = "local", gateways = [] } = choice;
  const { env, cwd, signal } = machine;
  const url = chooseStore(choice, machine);
  const isAlone = url !== undefined && isStoreAlone(choice);
  const servers = await chooseMcpSources(
    { ...choice, ...(isAlone || root.length > 0 ? { mcp: false } : {}) },
    env,
  );
  const labels = [...(url === undefined ? [] : [STORE_LABEL]), ...servers.labels];
  const hasSecret = await findSecrets(machine);
  const host = nodeHost({ env, platform: process.platform, cwd, hasSecret });
  const limits = options.limits ?? (root.length > 0 ? namedLimits : discoveredLimits);
  const chosen = isAlone ? [] : orderSources(chooseFolders(choice, machine, labels), precedence);
  const sources = await governFolders(choice, chosen, machine, { host, limits, watch }, onClose);
  const cache = openCache(choice, env);
  if (cache !== undefined) onClose(() => cache.close());
  const onError = present({ onError: watch?.onError });
  const layer = { host, limits, cache, isWatched: watch !== undefined, ...onError };
  // The record of an agent is in the store.
  const maySkip = options.skipsEmptyStore === true && choice.agent === undefined && sources.length > 0;
  const storeOptions = { url, isAlone, maySkip, layer, ...present({ onFailure: options.onStoreFailure }) };
  const { store, settings, ...left } = await openStoreLayer(choice, machine, storeOptions);
  if (store !== undefined) onClose(() => store.close());
  const { viewer, manifest } = await chooseViewer(choice, env, store);
  const record = options.audit ?? openUserLog(choice, machine, cache, onClose);
  const models = options.usesModels ? await openModels({ env }) : undefined;
  if (models !== undefined) onClose(() => models.close());
  const isLayered = store !== undefined || servers.chosen.length + gateways.length > 0;
  const folderOptions = { sources, host, precedence, limits, settings, signal, ...present({ onProgress }) };
  const clock = { now: () => new Date() };
  const ports = { clock, ...present({ audit: record.discoveries }) };
  const own = present({ ports, cache, watch, models: isLayered ? undefined : models?.ports });
  const folders = await openLibrary({ ...folderOptions, ...own });
  const mcp = await openMcpLayers(servers.chosen, machine, {
    host,
    limits,
    isPatient: watch === undefined,
    ...present({ onProgress: options.onServerProgress }),
  });
  const remotes = await openGatewayLayers(gateways, machine, {
    host,
    limits,
    ...onError,
    isCached: choice.cache !== false,
    onProblem: (source, { message }) => machine.warn(`${source} was skipped: ${message}`),
  });
  // Last, so that a skill of this machine wins among sources of equal rank.
  const others = [
    ...(store === undefined ? [] : [store.library]),
    ...mcp.map((each) => each.library),
    ...remotes,
  ];
  const layered = { precedence, limits, settings, ...present({ cache, models: models?.ports }) };
  const library = others.length === 0 ? folders : openLayeredLibrary([folders, ...others], layered);
  onClose(() => library.close());
  if (others.length > 0 && record.discoveries !== undefined)
    await followShadowing(library, record.discoveries, clock, watch);
  if (mcp.length > 0) await followRemotes(library, machine, watch);
  const inspect = () => ({ ...folders.inspect(), view: openView(library, viewer) });
  const { audit } = record;
  const viewers = [viewer, { runtime: viewer.runtime, user: userName(env) }];
  const isDisclosed = choice.role === "admin" ? () => true : disclosureTo(viewers, store);
  return { ...left, library, inspect, viewer, manifest, audit, isDisclosed, precedence, sources, store, mcp };
}

/** The sources of a choice, or their approved content. */
async function governFolders(
  { governed = false, store }: StackChoice,
  sources: readonly Source[],
  machine: Machine,
  options: Pick<GovernOptions, "host" | "limits" | "watch">,
  onClose: (step: () => unknown) => void,
): Promise<readonly Source[]> {
  if (!governed || sources.length === 0) return sources;
  if (store === false)
    throw new SkillError("USAGE", "Governed folders need a store for their proposals.", {
      hint: "Leave out --no-store.",
    });
  const [{ governSources }, { proposalStore }] = await Promise.all([
    import("./governed-source.ts"),
    import("../store/local-proposer.ts"),
  ]);
  const url = storeUrl(store, machine);
  const withRegistry: GovernOptions["withRegistry"] = (work) =>
    proposalStore(url, machine, options.limits, work);
  const onProblem = (message: string) => machine.warn(message);
  const opened = await governSources(sources, { ...options, env: machine.env, withRegistry, onProblem });
  onClose(() => opened.close());
  return opened.sources;
}

/** The candidates that may be disclosed to a viewer. */
function openView(library: IndexedLibrary, viewer: Viewer): FolderState["view"] {
  const all = library.view();
  return all.openTo?.((entry, standing) => isOpenTo(entry, viewer, standing)) ?? all;
}

function openCache({ cache }: StackChoice, env: Machine["env"]): SqliteCache | undefined {
  const file = cache === false ? undefined : cacheFile(env);
  return file === undefined ? undefined : new SqliteCache(file);
}

interface StoreLayerOptions {
  readonly url: string | undefined;
  readonly isAlone: boolean;
  /** Whether a store without skills is left out. */
  readonly maySkip: boolean;
  readonly layer: LayerOptions;
  readonly onFailure?: StackOptions["onStoreFailure"];
}

/** Opens the store; without one, reads only which folder skills are switched off. */
async function openStoreLayer(
  choice: StackChoice,
  machine: Machine,
  { url, isAlone, maySkip, layer, onFailure }: StoreLayerOptions,
): Promise<
  Pick<Stack, "emptyStore"> & { readonly store: RegistryLayer | undefined; readonly settings: AccessSettings }
> {
  try {
    if (maySkip && url !== undefined && (await isStoreEmpty(url)))
      return { store: undefined, settings: {}, emptyStore: showStore(url, machine) };
    const store = url === undefined ? undefined : await openRegistryLayer(url, choice, machine, layer);
    const readDisabled = async () =>
      isAlone ? new Set<string>() : await readDisabledFolders(choice, machine);
    const disabledFolders = store?.library.disabledFolders ?? fixedIds(await readDisabled());
    return { store, settings: { disabledFolders } };
  } catch (error) {
    if (onFailure === undefined || !(error instanceof SkillError)) throw error;
    onFailure(error);
    return { store: undefined, settings: {} };
  }
}

/** A set that never changes, as a setting of the gate. */
function fixedIds(ids: ReadonlySet<string>): NonNullable<AccessSettings["disabledFolders"]> {
  return { has: (id) => ids.has(id), state: ids };
}

/** Revokes approvals of servers' skills that changed, now and on every later change. */
async function followRemotes(
  library: IndexedLibrary,
  machine: Machine,
  watch: LiveReloadOptions | undefined,
): Promise<void> {
  const { revokeChangedRemotes } = await import("../source/mcp-approval.ts");
  const revoke = () => revokeChangedRemotes(library.view().entries, machine);
  await revoke();
  if (watch !== undefined) library.onChange(() => revoke().catch(watch.onError));
}
