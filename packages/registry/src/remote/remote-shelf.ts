import { normalizeRelative, rejectNonEmpty, writeCopy } from "@skillhold/core/bundle";
import {
  type ByteRange,
  type FilePart,
  type LibraryChange,
  type OpenBundle,
  type SearchTexts,
  type Shelf,
  toDocument,
} from "@skillhold/core/library";
import type { Timers } from "@skillhold/core/port";
import type { SearchDocument } from "@skillhold/core/search";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { type FrontmatterMap, type ParsedSkill, parseSkill } from "@skillhold/skill";
import { ChangeWatch } from "./change-watch.ts";
import { integrityFailed } from "./remote-failure.ts";
import type { FileRequest, RemoteFileReader } from "./remote-files.ts";
import { changeBetween, fetchList, type ListPorts, RemoteView } from "./remote-list.ts";
import { RemoteTrees } from "./remote-tree.ts";

export interface RemoteParts extends ListPorts {
  readonly files: RemoteFileReader;
  readonly timers: Timers;
  /** Receives errors of background work. */
  readonly onError: (error: unknown) => void;
  /**
   * Whether a gateway that does not answer only takes its own skills away. Without it, every call fails, because no
   * answer comes from earlier state.
   */
  readonly isOptional: boolean;
}

/** How often a skill that changes while it is read is read again. */
const TRIES = 3;
const EMPTY = new RemoteView([], undefined);

/** The skills that a gateway shows to one viewer. The gateway decides access on every call. */
export class RemoteShelf implements Shelf, SearchTexts {
  readonly #parts: RemoteParts;
  readonly #trees: RemoteTrees;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  #watch: ChangeWatch | undefined;
  /** Undefined before the first answer. */
  #view: RemoteView | undefined;
  #problem: SkillError | undefined;
  #running: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    this.#trees = new RemoteTrees(parts.client, parts.limits);
  }

  /** Why the skills are missing; undefined while the gateway answers. */
  get problem(): SkillError | undefined {
    return this.#problem;
  }

  async refresh(): Promise<void> {
    await this.#watch?.started;
    const { isOptional } = this.#parts;
    // The watch retries, so that a gateway that is down delays no call.
    if (isOptional && this.#problem !== undefined && this.#watch !== undefined) return;
    try {
      await this.#update();
    } catch (error) {
      if (!isOptional || !(error instanceof SkillError)) throw error;
    }
  }

  view(): RemoteView {
    return this.#view ?? EMPTY;
  }

  async open(entry: SkillEntry): Promise<OpenBundle> {
    return await this.#reading(entry, async (opened) => ({
      entry: opened.entry,
      skill: await this.#readSkill(opened),
      skillHash: opened.tree.skillFile.digest,
      treeHash: opened.tree.treeHash,
      files: opened.tree.files,
      folder: undefined,
      isLastGood: false,
    }));
  }

  async readFile(entry: SkillEntry, path: string, { start, length }: Required<ByteRange>): Promise<FilePart> {
    const wanted = normalizeRelative(path, this.#parts.limits);
    return await this.#reading(entry, async (opened) => {
      const { files, treeHash } = opened.tree;
      const file = files.find((each) => each.path === wanted);
      if (file === undefined) throw noFile(path);
      const bytes = await this.#parts.files.read(opened, file);
      const { size, digest } = file;
      return { entry: opened.entry, bytes: bytes.subarray(start, start + length), size, digest, treeHash };
    });
  }

  /** All files are fetched and verified before the first one is written. */
  async copy(entry: SkillEntry, folder: string): Promise<Digest> {
    rejectNonEmpty(folder);
    const { contents, treeHash } = await this.#reading(entry, async (opened) => ({
      contents: await this.#parts.files.readAll(opened),
      treeHash: opened.tree.treeHash,
    }));
    const made = new Set([folder]);
    for (const [file, bytes] of contents) writeCopy(folder, file, bytes, made);
    return treeHash;
  }

  keyOf({ treeHash, skillHash }: SkillEntry): string {
    return treeHash ?? skillHash;
  }

  /** Contains only listed fields, because the gateway records every read of the instructions as a use. */
  document(entry: SkillEntry): SearchDocument {
    // JSON values are valid frontmatter values.
    const frontmatter = entry.metadata as FrontmatterMap;
    const document = toDocument(entry, { frontmatter, body: "" }, { references: [], evaluations: [] });
    return { ...document, key: this.keyOf(entry) };
  }

  body(): undefined {
    return undefined;
  }

  /** Changes are relative to the last list. Calls after this one wait for the first refresh. */
  onChange(listener: (change: LibraryChange) => void): () => void {
    // Allows the same function to listen twice.
    const own = (change: LibraryChange) => listener(change);
    this.#listeners.add(own);
    const { client, limits, timers, onError } = this.#parts;
    this.#watch ??= new ChangeWatch({ client, limits, timers, refresh: () => this.#update(), onError });
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#stopWatching();
    this.#parts.client.close();
  }

  #stopWatching(): void {
    this.#watch?.stop();
    this.#watch = undefined;
  }

  /** One request at a time. Calls during a request share the next one, which starts after them. */
  #update(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#fetch().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#waiting ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#waiting = undefined;
        return this.#update();
      });
    return this.#waiting;
  }

  async #fetch(): Promise<void> {
    try {
      this.#show(await fetchList(this.#view, this.#parts), undefined);
    } catch (error) {
      if (this.#parts.isOptional && error instanceof SkillError) this.#show(EMPTY, error);
      throw error;
    }
  }

  #show(view: RemoteView, problem: SkillError | undefined): void {
    const before = this.#view;
    this.#view = view;
    this.#problem = problem;
    const change = before === undefined || before === view ? undefined : changeBetween(before, view);
    if (change !== undefined) for (const listener of this.#listeners) this.#notify(listener, change);
  }

  /** A failing listener does not stop the others. */
  #notify(listener: (change: LibraryChange) => void, change: LibraryChange): void {
    try {
      listener(change);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /**
   * Reads a skill again if it changed after it was listed. If its entry is unchanged, the mismatch is an
   * error.
   */
  async #reading<T>(listed: SkillEntry, work: (opened: Opened) => Promise<T>): Promise<T> {
    let last: string | undefined;
    for (let attempt = 1, entry = listed; ; attempt += 1, entry = await this.#getAgain(listed.id)) {
      const opened = await this.#open(entry);
      try {
        return await work(opened);
      } catch (error) {
        const isPassing = error instanceof SkillError && error.code === "INTEGRITY_FAILED";
        if (!isPassing || attempt === TRIES || opened.tree.treeHash === last) throw error;
        last = opened.tree.treeHash;
      }
    }
  }

  /** The skill and its files in one consistent state. */
  async #open(listed: SkillEntry): Promise<Opened> {
    const { id } = listed;
    const { viewAs } = this.#parts;
    for (let attempt = 1, entry = listed; ; attempt += 1, entry = await this.#getAgain(id)) {
      const tree = await this.#trees.find(entry, viewAs).catch((error: unknown) => {
        throw isMissing(error) ? notFound(id) : error;
      });
      if (tree !== undefined) return { id, entry, tree, viewer: viewAs };
      if (attempt === TRIES)
        throw integrityFailed(`The file list of ${id} does not match the gateway's entry.`, { id });
    }
  }

  async #getAgain(id: string): Promise<SkillEntry> {
    await this.#update();
    const entry = this.view().find(id);
    if (entry === undefined) throw notFound(id);
    return entry;
  }

  async #readSkill(opened: Opened): Promise<ParsedSkill> {
    const { id, tree } = opened;
    const { limits, files } = this.#parts;
    if (tree.skillFile.size > limits.skillFileBytes)
      throw new SkillError(
        "LIMIT_EXCEEDED",
        `The SKILL.md of ${id} is larger than the limit skillFileBytes (${limits.skillFileBytes} bytes).`,
        { details: { id, limit: "skillFileBytes", max: limits.skillFileBytes } },
      );
    const skill = parseSkill(await files.read(opened, tree.skillFile), limits);
    if (!skill.isReadable) throw new SkillError("SKILL_INVALID", `The SKILL.md of ${id} cannot be read.`);
    return skill;
  }
}

interface Opened extends FileRequest {
  readonly entry: SkillEntry;
}

/** Removed after it was listed. */
function isMissing(error: unknown): boolean {
  const codes: readonly string[] = ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND"];
  return error instanceof SkillError && codes.includes(error.code);
}

function notFound(id: string): SkillError {
  return new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, { details: { id } });
}

function noFile(path: string): SkillError {
  return new SkillError("PATH_NOT_FOUND", `The skill has no file ${path}.`, {
    hint: "Read the skill to list its files.",
  });
}
