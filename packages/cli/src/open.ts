import type { Library, LiveReloadOptions } from "@skillhold/core/library";
import type { SearchState } from "@skillhold/core/semantic";
import { noLog, openStack, type Stack } from "@skillhold/host/library";
import { present } from "@skillhold/host/place";
import type { SkillError } from "@skillhold/protocol/error";
import type { CommandInput } from "./command.ts";
import { chooseGateway, libraryChoice, rootFlags } from "./library-choice.ts";
import { listOption } from "./option.ts";
import { storeFlags } from "./terminal/hint.ts";
import { type Io, plain } from "./terminal/output.ts";
import { openProgress } from "./terminal/progress.ts";

/** The library of a command, with its viewer. */
export interface Opened extends Omit<Stack, "library" | "close"> {
  /** The state of the search; absent for a remote gateway, which searches itself. */
  readonly search?: { state(): SearchState; prepare(): Promise<SearchState> };
  readonly library: Library;
  /** The flags that make another command use the same skills, each with a space before it. */
  readonly rootFlags: string;
}

export interface LibraryOpenOptions {
  /** Folders given as arguments; they work like `--root`. */
  readonly roots?: readonly string[];
  readonly watch?: LiveReloadOptions;
  /** Receives the failure of a store, which is then skipped; without it, the command fails. */
  readonly onStoreFailure?: (error: SkillError) => void;
  /** True for a command that reports the state of MCP servers itself; otherwise a warning names those that are down. */
  readonly reportsServers?: boolean;
  /** True for a command whose searches use an embedder and a reranker, if there are any. */
  readonly usesModels?: boolean;
  /** True for a command that reads the skills once and needs nothing else of the store. */
  readonly skipsEmptyStore?: boolean;
}

/** Opens the library of the common options for the time of one call. */
export async function withLibrary<T>(
  { options, io }: Pick<CommandInput, "options" | "io">,
  use: (opened: Opened) => Promise<T>,
  {
    roots: given = [],
    watch,
    onStoreFailure,
    reportsServers = false,
    usesModels = watch !== undefined,
    skipsEmptyStore = false,
  }: LibraryOpenOptions = {},
): Promise<T> {
  const roots = [...given, ...listOption(options, "root")];
  const gateway = chooseGateway(options, io, roots);
  if (gateway !== undefined) {
    const { withRemoteLibrary } = await import("./gateway/gateway-library.ts");
    return await withRemoteLibrary({ options, io }, gateway, use, watch);
  }
  const folders = openProgress(io, "looking for skills", { afterMs: 400 });
  const servers = openProgress(io, "connecting to servers", { afterMs: 400 });
  const stack = await openStack(libraryChoice(options, roots), machineOf(io), {
    ...present({ watch, onStoreFailure, usesModels, skipsEmptyStore }),
    onProgress: ({ skills, folders: count }) => folders.update(skills, count),
    onServerProgress: servers.update,
    ...(options["dryRun"] === true ? { audit: noLog } : {}),
  }).finally(() => {
    folders.stop();
    servers.stop();
  });
  try {
    if (!reportsServers) warnOfServers(stack, io);
    const mcpFlag = options["mcp"] === false ? " --no-mcp" : "";
    const strictFlag = options["strict"] === true ? " --strict" : "";
    const governedFlag = options["governed"] === true ? " --governed" : "";
    const flags = `${rootFlags(roots)}${storeFlags(options)}${mcpFlag}${strictFlag}${governedFlag}`;
    const { library } = stack;
    const search = { state: () => library.searchState, prepare: () => library.prepareSearch() };
    return await use({ ...stack, search, rootFlags: flags });
  } finally {
    await stack.close();
  }
}

/** The process of a command, as the host sees it. */
export function machineOf({ env, cwd, signal, err }: Io) {
  return { env, cwd, signal, warn: (message: string) => err(`warning: ${plain(message)}\n`) };
}

function warnOfServers({ mcp }: Stack, io: Io): void {
  for (const { library } of mcp) {
    const { source, problem } = library.state();
    if (problem !== undefined) io.err(`warning: ${source} was skipped: ${plain(problem.message)}\n`);
  }
}
