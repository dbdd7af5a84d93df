import { basename, dirname, resolve } from "node:path";
import {
  didYouMean,
  discoverSources,
  type FolderState,
  type Library,
  type LiveReloadOptions,
  nodeHost,
  openLayeredLibrary,
  openLibrary,
  orderSources,
  type Precedence,
  type Source,
  suggest,
  type Viewer,
} from "@skillhold/core";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { SqliteCache } from "@skillhold/store";
import { cacheFile } from "./cache-file.ts";
import { type Candidate, isOpenTo, knownTo } from "./known-candidate.ts";
import { listOption, present } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { openProgress } from "./progress.ts";
import {
  chooseStore,
  isStoreAlone,
  openRegistryLayer,
  type RegistryLayer,
  readDisabledFolders,
  STORE_LABEL,
} from "./registry-layer.ts";
import { statPath } from "./stat-path.ts";
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
  /** The options that make another command look at the same skills, with a blank before each. */
  readonly rootFlags: string;
}

export interface OpenOptions {
  /** Folders that were given as arguments; they count like `--root`. */
  readonly roots?: readonly string[];
  readonly watch?: LiveReloadOptions;
  /** Told of a store that cannot be opened, and is then left out; without it, that is a failure. */
  readonly onStoreFailure?: (error: SkillError) => void;
}

/** The cache tells scans of other limits apart, so that all commands have these, whatever they ask for. */
const HITS = 1000;
const discoveredLimits = withLimits({ searchHits: HITS });
/** A tree named on the command line is searched deeper than one that is searched unasked. */
const namedLimits = withLimits({ searchHits: HITS, discoveryDepth: 16 });

/** Opens the library of the common options for as long as it is used. */
export async function withLibrary<T>(
  { options, io }: Pick<CommandInput, "options" | "io">,
  use: (opened: Opened) => Promise<T>,
  { roots: given = [], watch, onStoreFailure }: OpenOptions = {},
): Promise<T> {
  const roots = [...given, ...listOption(options, "root")];
  // The command table allows only the names of precedences here.
  const precedence = options["precedence"] as Precedence;
  const url = chooseStore(options, io, roots);
  const isAlone = url !== undefined && isStoreAlone(options, roots);
  const sources = isAlone ? [] : orderSources(chooseSources(roots, options, io, url), precedence);
  const rootFlags = `${formatRoots(roots)}${storeFlags(options)}`;
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
  const useLayers = async (store: RegistryLayer | undefined): Promise<T> => {
    const progress = openProgress(io, "looking for skills", { afterMs: 400 });
    const onProgress = ({ skills, folders }: { skills: number; folders: number }) =>
      progress.update(skills, folders);
    const settings = { sources, host, precedence, limits, signal: io.signal, onProgress };
XX    } finally {
      await library.close();
    }
  };
  try {
    if (url === undefined) return await useLayers(undefined);
    return await withStoreLayer(
      () => openRegistryLayer(url, { options, io }, layer),
      useLayers,
      onStoreFailure,
    );
  } finally {
    cache?.close();
  }
}

async function withStoreLayer<T>(
  open: () => Promise<RegistryLayer>,
  use: (store: RegistryLayer | undefined) => Promise<T>,
  onFailure: OpenOptions["onStoreFailure"],
): Promise<T> {
  let store: RegistryLayer | undefined;
  try {
    store = await open();
  } catch (error) {
    if (onFailure === undefined || !(error instanceof SkillError)) throw error;
    onFailure(error);
  }
  try {
    return await use(store);
  } finally {
    await store?.close();
  }
}

/** The folders that were named, and those alone; without any, the ones an agent here would expect. */
function chooseSources(
  roots: readonly string[],
  options: CommandInput["options"],
  io: Io,
  store: string | undefined,
): readonly Source[] {
  const home = io.env["HOME"] || io.env["USERPROFILE"] || undefined;
  const isProjectTrusted = options["trustProject"] === true;
  const found =
    roots.length > 0
      ? namedSources(roots, io.cwd)
      : discoverSources({ cwd: io.cwd, isProjectTrusted, ...present({ home }) });
  const others = store === undefined ? [] : [STORE_LABEL];
  const chosen = filterSources(found, listOption(options, "source"), others);
  return options["followLinks"] === true ? chosen.map((each) => ({ ...each, followLinks: true })) : chosen;
}

function namedSources(roots: readonly string[], cwd: string): readonly Source[] {
  const sources = new Map<string, Source>();
  for (const label of roots) {
    const path = resolve(cwd, label);
    const stats = statPath(path, label);
    if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
    const isSkillFile = !stats.isDirectory() && basename(path).toLowerCase() === "skill.md";
    if (!stats.isDirectory() && !isSkillFile)
      throw new SkillError("PATH_NOT_FOUND", `${label} is not a folder.`, {
        hint: "Name a folder that is or holds skills.",
      });
    const root = isSkillFile ? dirname(path) : path;
    if (!sources.has(root)) sources.set(root, { label, kind: "workspace", trust: "user", root });
  }
  return [...sources.values()];
}

function filterSources(
  sources: readonly Source[],
  labels: readonly string[],
  others: readonly string[],
): readonly Source[] {
  if (labels.length === 0) return sources;
  const known = [...sources.map(({ label }) => label), ...others];
  const unknown = labels.find((label) => !known.includes(label));
  if (unknown === undefined) return sources.filter(({ label }) => labels.includes(label));
  const otherwise =
    known.length === 0
      ? "No source was found here; name a folder with --root."
      : `There are: ${known.join(", ")}.`;
  throw new SkillError("USAGE", `There is no source ${unknown}.`, {
    hint: didYouMean(suggest(unknown, known)) ?? otherwise,
  });
}

function readViewer(options: CommandInput["options"], { env }: Pick<Io, "env">): Viewer {
  const allow = textOption(options, "allow")
    ?.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  return {
    runtime: textOption(options, "runtime") ?? "skillhold-cli",
    invoker: textOption(options, "as") === "user" ? "user" : "model",
    user: textOption(options, "user") ?? userName(env),
    ...present({ agent: textOption(options, "agent"), allow }),
  };
}

function formatRoots(roots: readonly string[]): string {
  return roots.map((root) => ` --root ${/^[\w./~@+-]+$/.test(root) ? root : JSON.stringify(root)}`).join("");
}
