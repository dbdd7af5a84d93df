import {
  IndexedLibrary,
  type InvalidSkill,
  type LibraryOptions,
  LibrarySearch,
} from "@skillhold/core/library";
import type { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { FileCache } from "./file-cache.ts";
import { McpShelf } from "./mcp-shelf.ts";
import { type McpPorts, type McpSource, sourceLabel } from "./mcp-source.ts";
import { RemoteFiles } from "./remote-files.ts";
import { ServerLink } from "./server-link.ts";
import { type VerifiedSkill, verifySkills } from "./verify-skills.ts";

/** How it stands with a server, as of the last time it was asked. */
export interface McpState {
  /** Its label among the sources. */
  readonly source: string;
  /** Why there is nothing of it now; undefined when it answers. */
  readonly problem: SkillError | undefined;
  readonly skills: number;
  /** What it lists and cannot be used, and why. */
  readonly refused: readonly InvalidSkill[];
}

/**
 * A library of the skills of another MCP server, always third-party. It is never more than what the server lists at
 * the time, and every file of it is checked against that list on each reading.
 */
export class McpLibrary extends IndexedLibrary {
  readonly #link: ServerLink;
  readonly #files: RemoteFiles;
  readonly #source: string;

  constructor(link: ServerLink, files: RemoteFiles, source: string, options: LibraryOptions) {
    const shelf = new McpShelf(link, files);
    super(shelf, new LibrarySearch(shelf), options);
    this.#link = link;
    this.#files = files;
    this.#source = source;
  }

  /** Asks for the list when it is time to. */
  refresh(): Promise<void> {
    return this.#link.refresh();
  }

  /** Fetches and checks every file of every skill that is listed now: for someone who tries a server out. */
  verify(): AsyncGenerator<VerifiedSkill> {
    return verifySkills(this.#link.view.listed, this.#files, this.#link.fetch);
  }

  state(): McpState {
    const { view, problem } = this.#link;
    return { source: this.#source, problem, skills: view.entries.length, refused: view.invalid };
  }
}

/** Opens the skills of a server. It opens whatever the server does: `state` says what became of it. */
export async function openMcpLibrary(source: McpSource, ports: McpPorts): Promise<McpLibrary> {
  const { host, clock, limits = defaultLimits, settings = {}, cache: folder, onError, signal } = ports;
  const { isPatient = true } = ports;
  const label = sourceLabel(source.label);
  const cache = folder === undefined ? undefined : new FileCache(folder, source.label, limits.mcpServerBytes);
  const link = new ServerLink(source, {
    making: { source: label, host, limits },
    clock,
    cache,
    onError,
    signal,
  });
  await (isPatient ? link.ask() : link.refresh());
  return new McpLibrary(link, new RemoteFiles(cache, limits), label, { settings, limits, name: label });
}

/** Lets go of all that is kept of a server's files. */
export async function forgetMcpSource(label: string, cache: string): Promise<void> {
  await new FileCache(cache, label, 0).clear();
}
