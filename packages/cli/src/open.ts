import {
  type AccessSettings,
  type FolderState,
  type Library,
  type LiveReloadOptions,
  openLayeredLibrary,
  openLibrary,
  type Viewer,
} from "@skillhold/core/library";
import { nodeHost, orderSources, type Precedence, type Source } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { SqliteCache } from "@skillhold/store";
import { cacheFile } from "./cache-file.ts";
import { type Candidate, isOpenTo, knownTo } from "./known-candidate.ts";
import { chooseMcpSources, type McpChoice } from "./mcp-source.ts";
import type { McpLayer, McpLayerOptions } from "./mcp-source-layer.ts";
import { listOption, present } from "./option.ts";
import { type Io, plain } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { openProgress } from "./progress.ts";
import {
  chooseStore,
  isStoreAlone,
  type LayerOptions,
  openRegistryLayer,
  type RegistryLayer,
  readDisabledFolders,
} from "./registry-layer.ts";
import { chooseGateway } from "./remote-option.ts";
import { chooseSources, formatRoots } from "./source-option.ts";
import { findSecrets } from "./state.ts";
import { storeFlags, userName } from "./store-address.ts";
import { readViewer } from "./viewer-option.ts";

/** A library as the command line asks for it, and who looks at it. */
export interface Opened {
  readonly library: Library;
  /** The state behind it, as it is for the viewer: every candidate, and what was searched. */
  readonly inspect: () => FolderState;
  readonly viewer: Viewer;
  /** Whether the user may know of a candidate that the viewer does not see: what is others' stays unnamed. */
  readonly isKnown: (candidate: Candidate) => boolean;
  readonly precedence: Precedence;
  /** In the order in which they win. */
  readonly sources: readonly Source[];
  /** The registry beside the sources. */
  readonly store: Pick<RegistryLayer, "library" | "address" | "engine" | "context"> | undefined;
  /** The MCP servers beside them, also those that do not answer. */
  readonly mcp: readonly McpLayer[];
  /** The options that make another command look at the same skills, with a blank before each. */
  readonly rootFlags: string;
}

export interface OpenOptions {
  /** Folders that were given as arguments; they count like `--root`. */
  readonly roots?: readonly string[];
  readonly watch?: LiveReloadOptions;
  /** Told of a store that cannot be opened, and is then left out; without it, that is a failure. */
  readonly onStoreFailure?: (error: SkillError) => void;
  /** True for a command that itself says how it stands with MCP servers; else a warning names those that are down. */
  readonly reportsServers?: boolean;
}

/** The cache tells scans of other limits apart, so that all commands have these, whatever they ask for. */
const HITS = 1000;
const discoveredLimits = withLimits({ searchHits: HITS });
/** A tree named on the command line is searched deeper than one that is searched unasked. */
const namedLimits = withLimits({ searchHits: HITS, discoveryDepth: 16 });

type Asked = Pick<CommandInput, "options" | "io">;

/** Opens the library of the common options for as long as it is used. */
export async function withLibrary<T>(
  { options, io }: Asked,
  use: (opened: Opened) => Promise<T>,
  { roots: given = [], watch, onStoreFailure, reportsServers = false }: OpenOptions = {},
): Promise<T> {
  const roots = [...given, ...listOption(options, "root")];
  const gateway = chooseGateway(options, io, roots);
  if (gateway !== undefined) {
    const { withRemoteLibrary } = await import("./remote-open.ts");
    return await withRemoteLibrary({ options, io }, gateway, use, watch);
  }
  // The command table allows only the names of precedences here.
  const precedence = options["precedence"] as Precedence;
  const url = chooseStore(options, io, roots);
  const isAlone = url !== undefined && isStoreAlone(options, roots);
  const servers = await chooseMcpSources({ options, io }, isAlone || roots.length > 0);
  const sources = isAlone
    ? []
    : orderSources(chooseSources(roots, options, io, url !== undefined, servers.labels), precedence);
  const mcpFlag = options["mcp"] === false ? " --no-mcp" : "";
  const rootFlags = `${formatRoots(roots)}${storeFlags(options)}${mcpFlag}`;
  const hasSecret = await findSecrets(io);
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd, hasSecret });
  const limits = roots.length > 0 ? namedLimits : discoveredLimits;
  const file = options["cache"] === false ? undefined : cacheFile(io.env);
  const cache = file === undefined ? undefined : new SqliteCache(file);
  const layer = {
    host,
    limits,
    cache,
    isWatched: watch !== undefined,
    ...present({ onError: watch?.onError }),
  };
  const open = async () =>
    url === undefined ? undefined : await openRegistryLayer(url, { options, io }, layer);
  const disabled = () => (isAlone ? new Set<string>() : readDisabledFolders({ options, io }));
  try {
    return await withStoreLayer(
      open,
      disabled,
      (store, settings) =>
        useLayers(
          { options, io },
          { ...layer, precedence, sources, rootFlags, watch, store, settings, servers, reportsServers },
          use,
        ),
      onStoreFailure,
    );
  } finally {
    cache?.close();
  }
}

/** Opens the store, or else asks it only for what it says of skills in folders. */
async function withStoreLayer<T>(
  open: () => Promise<RegistryLayer | undefined>,
  readDisabled: () => ReadonlySet<string> | Promise<ReadonlySet<string>>,
  use: (store: RegistryLayer | undefined, settings: AccessSettings) => Promise<T>,
  onFailure: OpenOptions["onStoreFailure"],
): Promise<T> {
  let store: RegistryLayer | undefined;
  let settings: AccessSettings = {};
  try {
    store = await open();
    settings = { disabledFolders: store?.library.disabledFolders ?? (await readDisabled()) };
  } catch (error) {
    if (onFailure === undefined || !(error instanceof SkillError)) throw error;
    onFailure(error);
  }
  try {
    return await use(store, settings);
  } finally {
    await store?.close();
  }
}

interface Layers extends LayerOptions, Pick<Opened, "precedence" | "sources" | "rootFlags"> {
  readonly watch: LiveReloadOptions | undefined;
  readonly store: RegistryLayer | undefined;
  readonly settings: AccessSettings;
  readonly servers: McpChoice;
  readonly reportsServers: boolean;
}

async function useLayers<T>(
  { options, io }: Asked,
  { host, limits, cache, precedence, sources, rootFlags, watch, store, settings, ...layers }: Layers,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const viewer = await readViewer(options, io, store);
  const progress = openProgress(io, "looking for skills", { afterMs: 400 });
  const onProgress = ({ skills, folders }: { skills: number; folders: number }) =>
    progress.update(skills, folders);
  const asked = { sources, host, precedence, limits, settings, signal: io.signal, onProgress };
  const folders = await openLibrary({ ...asked, ...present({ cache, watch }) }).finally(progress.stop);
  const mcp = await openServers(layers, io, { host, limits, isPatient: watch === undefined });
  const layered = { precedence, limits, settings, ...present({ cache }) };
  // The last ones, so that of equal rank what is of this machine wins.
  const others = [...(store === undefined ? [] : [store.library]), ...mcp.map((each) => each.library)];
  const library = others.length === 0 ? folders : openLayeredLibrary([folders, ...others], layered);
  const inspect = () => {
    const all = library.layer.shelf.view();
    const view = all.openTo?.((entry, standing) => isOpenTo(entry, viewer, standing)) ?? all;
    return { ...folders.inspect(), view };
  };
  const isKnown = options["role"] === "admin" ? () => true : knownTo(askersOf(viewer, io), store);
  try {
    if (mcp.length > 0) {
      const { revokeOfServers } = await import("./mcp-approval.ts");
      const revoke = () => revokeOfServers(library.layer.shelf.view().entries, io);
      await revoke();
      if (watch !== undefined) library.onChange(() => revoke().catch(watch.onError));
    }
    return await use({ library, inspect, viewer, isKnown, precedence, sources, store, mcp, rootFlags });
  } finally {
    await library.close();
  }
}

/** What speaks with servers is loaded only where there are some. */
async function openServers(
  { servers: { chosen }, reportsServers }: Pick<Layers, "servers" | "reportsServers">,
  io: Io,
  options: McpLayerOptions,
): Promise<readonly McpLayer[]> {
  if (chosen.length === 0) return [];
  const { openMcpLayers } = await import("./mcp-source-layer.ts");
  const layers = await openMcpLayers(chosen, io, options);
  for (const { library } of reportsServers ? [] : layers) {
    const { source, problem } = library.state();
    if (problem !== undefined) io.err(`warning: ${source} is left out: ${plain(problem.message)}\n`);
  }
  return layers;
}

/** The one who looks, and the one who runs the command, who may look on behalf of another. */
function askersOf(viewer: Viewer, { env }: Pick<Io, "env">): readonly Viewer[] {
  return [viewer, { runtime: viewer.runtime, user: userName(env) }];
}
