import { basename, dirname, resolve } from "node:path";
import {
  didYouMean,
  discoverSources,
  type FolderLibrary,
  type LiveReloadOptions,
  nodeHost,
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
import { listOption, present, textOption } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { openProgress } from "./progress.ts";
import { statPath } from "./stat-path.ts";
import { findSecrets } from "./state.ts";

/** A library as the command line asks for it, and who looks at it. */
export interface Opened {
  readonly library: FolderLibrary;
  readonly viewer: Viewer;
  readonly precedence: Precedence;
  /** In the order in which they win. */
  readonly sources: readonly Source[];
  /** The options that make another command look at the same folders, with a blank before each. */
  readonly rootFlags: string;
}

export interface OpenOptions {
  /** Folders that were given as arguments; they count like `--root`. */
  readonly roots?: readonly string[];
  readonly watch?: LiveReloadOptions;
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
  { roots: given = [], watch }: OpenOptions = {},
): Promise<T> {
  const roots = [...given, ...listOption(options, "root")];
  // The command table allows only the names of precedences here.
  const precedence = options["precedence"] as Precedence;
  const sources = orderSources(chooseSources(roots, options, io), precedence);
  const viewer = readViewer(options);
  const hasSecret = await findSecrets(io);
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd, hasSecret });
  const file = options["cache"] === false ? undefined : cacheFile(io.env);
  const cache = file === undefined ? undefined : new SqliteCache(file);
  try {
    const limits = roots.length > 0 ? namedLimits : discoveredLimits;
    const progress = openProgress(io, "looking for skills", { afterMs: 400 });
    const onProgress = ({ skills, folders }: { skills: number; folders: number }) =>
      progress.update(skills, folders);
    const settings = { sources, host, precedence, limits, signal: io.signal, onProgress };
    const library = await openLibrary({ ...settings, ...present({ cache, watch }) }).finally(progress.stop);
    try {
      return await use({ library, viewer, precedence, sources, rootFlags: formatRoots(roots) });
    } finally {
      await library.close();
    }
  } finally {
    cache?.close();
  }
}

/** The folders that were named, and those alone; without any, the ones an agent here would expect. */
function chooseSources(
  roots: readonly string[],
  options: CommandInput["options"],
  io: Io,
): readonly Source[] {
  const home = io.env["HOME"] || io.env["USERPROFILE"] || undefined;
  const isProjectTrusted = options["trustProject"] === true;
  const found =
    roots.length > 0
      ? namedSources(roots, io.cwd)
      : discoverSources({ cwd: io.cwd, isProjectTrusted, ...present({ home }) });
  const chosen = filterSources(found, listOption(options, "source"));
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

function filterSources(sources: readonly Source[], labels: readonly string[]): readonly Source[] {
  if (labels.length === 0) return sources;
  const known = sources.map(({ label }) => label);
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

function readViewer(options: CommandInput["options"]): Viewer {
  const allow = textOption(options, "allow")
    ?.split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  return {
    runtime: textOption(options, "runtime") ?? "skillhold-cli",
    invoker: textOption(options, "as") === "user" ? "user" : "model",
    ...present({ agent: textOption(options, "agent"), allow }),
  };
}

function formatRoots(roots: readonly string[]): string {
  return roots.map((root) => ` --root ${/^[\w./~@+-]+$/.test(root) ? root : JSON.stringify(root)}`).join("");
}
