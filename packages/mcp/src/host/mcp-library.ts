import { normalizeRelative, type RelativePath, rejectNonEmpty, writeCopy } from "@skillhold/core/bundle";
import {
  type ByteRange,
  type FilePart,
  IndexedLibrary,
  type InvalidSkill,
  type LibraryChange,
  type LibraryOptions,
  LibrarySearch,
  type OpenBundle,
  type SearchTexts,
  type Shelf,
  type SkillFile,
  toDocument,
} from "@skillhold/core/library";
import { systemTimers } from "@skillhold/core/port";
import type { SearchDocument } from "@skillhold/core/search";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { fileRole } from "@skillhold/skill";
import { RemoteFileCache } from "./file-cache.ts";
import type { ListedResource, ListedSkill } from "./listed-skill.ts";
import { type McpPorts, type McpSource, sourceLabel } from "./mcp-source.ts";
import type { McpView, ShownSkill } from "./mcp-view.ts";
import { VerifiedFiles } from "./remote-files.ts";
import { ServerLink } from "./server-link.ts";
import { type VerifiedSkill, verifySkills } from "./verify-skills.ts";

/** The state of a server at its last request. */
export interface McpState {
  /** The label of the source. */
  readonly source: string;
  /** Why its skills are missing; undefined when the server answers. */
  readonly problem: SkillError | undefined;
  readonly skills: number;
  /** Listed entries that cannot be used, with the reasons. */
  readonly refused: readonly InvalidSkill[];
}

/**
 * The skills of another MCP server, always third-party. The library contains only the skills that the server lists now,
 * and every read is checked against the list.
 */
export class McpLibrary extends IndexedLibrary {
  readonly #link: ServerLink;
  readonly #files: VerifiedFiles;
  readonly #source: string;

  constructor(link: ServerLink, files: VerifiedFiles, source: string, options: LibraryOptions) {
    const shelf = new McpShelf(link, files);
    super(shelf, new LibrarySearch(shelf), options);
    this.#link = link;
    this.#files = files;
    this.#source = source;
  }

  /** Fetches and checks every file of every listed skill, to test a server. */
  verify(): AsyncGenerator<VerifiedSkill> {
    return verifySkills(this.#link.view.listed, this.#files, this.#link.fetch);
  }

  state(): McpState {
    const { view, problem } = this.#link;
    return { source: this.#source, problem, skills: view.entries.length, refused: view.invalid };
  }
}

/** Opens the skills of a server. It succeeds even when the server fails; `state` has the problem. */
export async function openMcpLibrary(source: McpSource, ports: McpPorts): Promise<McpLibrary> {
  const { host, clock, limits = defaultLimits, settings = {}, cache: folder, onError, signal } = ports;
  const { isPatient = true, timers = systemTimers } = ports;
  const label = sourceLabel(source.label);
  const cache =
    folder === undefined ? undefined : new RemoteFileCache(folder, source.label, limits.mcpServerBytes);
  const link = new ServerLink(source, {
    options: { source: label, host, limits },
    clock,
    timers,
    cache,
    onError,
    signal,
  });
  await (isPatient ? link.fetchList() : link.refresh());
  return new McpLibrary(link, new VerifiedFiles(cache, limits), label, { settings, limits, name: label });
}

/** Deletes the cached files of a server. */
export async function forgetMcpSource(label: string, cache: string): Promise<void> {
  await new RemoteFileCache(cache, label, 0).clear();
}

/** The skills of a server: a view of its list, and files that are fetched on read. */
export class McpShelf implements Shelf, SearchTexts {
  readonly #link: ServerLink;
  readonly #files: VerifiedFiles;

  constructor(link: ServerLink, files: VerifiedFiles) {
    this.#link = link;
    this.#files = files;
  }

  refresh(): Promise<void> {
    return this.#link.refresh();
  }

  view(): McpView {
    return this.#link.view;
  }

  open(entry: SkillEntry): Promise<OpenBundle> {
    return this.#withRetry(entry, async ({ entry, listed }) => {
      const skill = await this.#files.readSkill(listed, this.#link.fetch);
      const { treeHash, skillFile } = listed;
      const files = listed.files.map((file) => toSkillFile(file));
      return {
        entry,
        skill,
        skillHash: skillFile.digest,
        treeHash,
        files,
        folder: undefined,
        isLastGood: false,
      };
    });
  }

  readFile(entry: SkillEntry, path: string, { start, length }: Required<ByteRange>): Promise<FilePart> {
    const wanted = normalizeRelative(path, this.#link.limits);
    return this.#withRetry(entry, async ({ entry, listed }) => {
      const file = getFile(listed, wanted);
      const bytes = await this.#files.read(listed, file, this.#link.fetch);
      const { size, digest } = file;
      return { entry, bytes: bytes.subarray(start, start + length), size, digest, treeHash: listed.treeHash };
    });
  }

  /** All files are fetched and checked before the first one is written. */
  async copy(entry: SkillEntry, folder: string): Promise<Digest> {
    rejectNonEmpty(folder);
    const { contents, treeHash } = await this.#withRetry(entry, async ({ listed }) => {
      const contents: (readonly [ListedResource, Uint8Array])[] = [];
      for (const file of listed.files)
        contents.push([file, await this.#files.read(listed, file, this.#link.fetch)]);
      return { contents, treeHash: listed.treeHash };
    });
    const made = new Set([folder]);
    for (const [file, bytes] of contents) writeCopy(folder, file, bytes, made);
    return treeHash;
  }

  /** The search only knows the listed frontmatter, because reading more would activate the skill. */
  keyOf({ treeHash, skillHash }: SkillEntry): string {
    return treeHash ?? skillHash;
  }

  document(entry: SkillEntry): SearchDocument | undefined {
    const shown = this.view().skill(entry);
    if (shown === undefined) return undefined;
    return {
      ...toDocument(entry, shown.listed.listed, { references: [], evaluations: [] }),
      key: this.keyOf(entry),
    };
  }

  body(entry: SkillEntry): string | undefined {
    return this.view().skill(entry)?.listed.listed.body;
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    return this.#link.onChange(listener);
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  /**
   * After an integrity failure the list is fetched once more: a changed skill is retried with its new content. When the
   * list is unchanged, the server does not serve the listed content, and the error stays.
   */
  async #withRetry<T>(entry: SkillEntry, work: (shown: ShownSkill) => Promise<T>): Promise<T> {
    const shown = this.#get(entry);
    try {
      return await work(shown);
    } catch (error) {
      if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
      await this.#link.fetchList();
      const current = this.#get(entry);
      if (current.listed.treeHash === shown.listed.treeHash) throw error;
      return await work(current);
    }
  }

  #get(entry: SkillEntry): ShownSkill {
    const shown = this.view().skill(entry);
    if (shown === undefined)
      throw new SkillError("SKILL_NOT_FOUND", `The skill ${entry.id} no longer exists.`);
    return shown;
  }
}

function getFile({ files }: ListedSkill, path: RelativePath): ListedResource {
  const file = files.find((each) => each.path === path);
  if (file !== undefined) return file;
  throw new SkillError("PATH_NOT_FOUND", `The server lists no file ${path}.`, {
    hint: "Read the skill to see its files.",
  });
}

/** Examples and links are normally read with the instructions; here every file is fetched on read. */
function toSkillFile({ path, size, digest, executable }: ListedResource): SkillFile {
  const role = fileRole(path);
  return { path, size, digest, executable, role: role === "example" || role === "links" ? "resource" : role };
}
