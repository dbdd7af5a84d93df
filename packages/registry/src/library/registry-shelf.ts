import { mkdir, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { errorCodeOf, normalizeRelative } from "@skillhold/core/bundle";
import type {
  ByteRange,
  ContentOptions,
  FilePart,
  LibraryChange,
  OpenBundle,
  Shelf,
} from "@skillhold/core/library";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { type Host, parseSkill } from "@skillhold/skill";
import { isDiskFull } from "../record/disk-full.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { copyRevision, materialise, revisionFolder } from "../release/materialise.ts";
import { findSkillFile } from "../release/skill-file.ts";
import { TreeReader } from "../release/tree-reader.ts";
import { advanceFeed, type FeedState, openFeed } from "./registry-feed.ts";
import { RegistryView, textKey } from "./registry-view.ts";
import type { SkillSnapshot } from "./skill-map.ts";
import { readDeletedSnapshots } from "./skill-snapshot.ts";

export interface RegistryShelfOptions {
  readonly host: Host;
  /** The label of the registry among the sources of a library. */
  readonly label: string;
  /** A folder for copies of revisions, for readers that need a file system. */
  readonly copies?: string | undefined;
  /** Receives errors of background work: refreshes after a commit, and listeners. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The skills of a registry as an in-memory view that follows the store's events. */
export class RegistryShelf implements Shelf {
  readonly #options: RegistryShelfOptions;
  readonly #context: RegistryContext;
  /** Reads the files of this shelf's entries. */
  readonly reader: TreeReader;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  #feed: FeedState;
  readonly #queue = new SerialQueue();
  #waiting: Promise<void> | undefined;
  #stop: (() => Promise<void>) | undefined;

  private constructor(feed: FeedState, options: RegistryShelfOptions, context: RegistryContext) {
    this.#feed = feed;
    this.#options = options;
    this.#context = context;
    this.reader = new TreeReader(context.store);
  }

  static async open(options: RegistryShelfOptions, context: RegistryContext): Promise<RegistryShelf> {
    const { host, label } = options;
    const copies = options.copies === undefined ? undefined : await makeFolder(options.copies);
    const overridden = new WeakSet<SkillEntry>();
    const pinned = new WeakSet<SkillEntry>();
    const place = (row: RegisteredSkill) => pathOf(row, label, copies);
    const making = { host, label, overridden, pinned, pathOf: place };
    return new RegistryShelf(await openFeed(making, context.store), { ...options, copies }, context);
  }

  /** Starts to report changes soon after they are committed. */
  async watch(): Promise<void> {
    this.#stop ??= await this.#context.store.onCommit(() => {
      // A failure is reported here; the next call refreshes on its own.
      this.refresh().catch((error: unknown) => this.#options.onError?.(error));
    });
  }

  /** Concurrent calls share one refresh that has not started yet, so that each sees all earlier commits. */
  refresh(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting;
    this.#waiting = this.#queue.run(async () => {
      this.#waiting = undefined;
      await this.#refresh();
    });
    return this.#waiting;
  }

  view(): RegistryView {
    return this.#feed.view;
  }

  /** The stored data behind an entry of this shelf. */
  findSnapshot(
    { id, source }: Pick<SkillEntry, "id" | "source">,
    view: RegistryView,
  ): SkillSnapshot | undefined {
    return source === this.#options.label ? view.findSnapshot(id) : undefined;
  }

  /** The deleted skills that can be restored, as a separate view. */
  async deleted(): Promise<RegistryView> {
    const { view, making } = this.#feed;
    return RegistryView.of(await readDeletedSnapshots(this.#context.store), view.settings, making);
  }

  /** Changes whenever the searchable text of the entry changes. */
  textKey(entry: SkillEntry): string {
    return textKey(entry, this.#feed.making.overridden.has(entry));
  }

  open(entry: SkillEntry, { hasFolder = true }: ContentOptions = {}): Promise<OpenBundle> {
    return this.#reading(entry, async (current) => {
      const read = await this.#read(current);
      return hasFolder ? { ...read, folder: await this.#layOut(current, read.treeHash) } : read;
    });
  }

  readFile(entry: SkillEntry, path: string, range: Required<ByteRange>): Promise<FilePart> {
    return this.#reading(entry, (current) => this.#readFile(current, path, range));
  }

  copy(entry: SkillEntry, folder: string): Promise<Digest> {
    return this.#reading(entry, async (current) =>
      copyRevision(await this.#treeHash(current), folder, this.#context),
    );
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The store stays open, because the caller owns it. */
  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#stop?.();
    this.#stop = undefined;
    await this.#queue.idle();
  }

  async #refresh(): Promise<void> {
    const { feed, change } = await advanceFeed(this.#feed, this.#context.store);
    this.#feed = feed;
    if (change !== undefined) this.#notify(change);
  }

  /** A failing listener stops neither the other listeners nor the current call. */
  #notify(change: LibraryChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.onError?.(error);
      }
    }
  }

  /**
   * If the bytes of a revision were purged after it was looked up, reads the current revision instead, except
   * for a pinned viewer.
   */
  async #reading<T>(entry: SkillEntry, work: (entry: SkillEntry) => Promise<T>): Promise<T> {
    try {
      return await work(entry);
    } catch (error) {
      if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
      await this.refresh();
      const isPinned = this.#feed.making.pinned.has(entry);
      const current = isPinned ? this.#findPinned(entry) : this.view().find(entry.id);
      if (current === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${entry.id}.`);
      if (current.revision === entry.revision) throw error;
      return await work(current);
    }
  }

  #findPinned({ id, revision = 0 }: SkillEntry): SkillEntry | undefined {
    return this.view().standing(id)?.ownership?.revision(revision);
  }

  async #read(entry: SkillEntry): Promise<OpenBundle> {
    const { id, skillHash } = entry;
    const treeHash = await this.#treeHash(entry);
    const files = await this.reader.files(treeHash);
    const file = findSkillFile(files);
    if (file?.digest !== skillHash)
      throw new SkillError("INTEGRITY_FAILED", `The SKILL.md of ${id} differs from the published one.`);
    const skill = parseSkill(await this.reader.bytes(file), this.#context.limits);
    return { entry, skill, skillHash, treeHash, files, folder: undefined, isLastGood: false };
  }

  async #readFile(
    entry: SkillEntry,
    path: string,
    { start, length }: Required<ByteRange>,
  ): Promise<FilePart> {
    const wanted = normalizeRelative(path, this.#context.limits);
    const treeHash = await this.#treeHash(entry);
    const file = (await this.reader.files(treeHash)).find((each) => each.path === wanted);
    if (file === undefined)
      throw new SkillError("PATH_NOT_FOUND", `The skill has no file ${path}.`, {
        hint: "Read the skill to list its files.",
      });
    const bytes = await this.reader.bytes(file);
    const { size, digest } = file;
    return { entry, bytes: bytes.subarray(start, start + length), size, digest, treeHash };
  }

  /** A row may lack the tree hash; its revision has it. */
  async #treeHash({ id, revision = 0, treeHash }: SkillEntry): Promise<Digest> {
    if (treeHash !== undefined) return treeHash;
    const row = this.view().row(id);
    const found = row === undefined ? undefined : await this.#context.store.findRevision(row.uid, revision);
    if (found !== undefined) return found.treeHash;
    throw new SkillError("INTEGRITY_FAILED", `Revision ${revision} of ${id} is missing.`);
  }

  /** The folder of a copy; undefined without one. Content is served from blobs, so a full disk does not fail reads. */
  async #layOut({ id }: SkillEntry, treeHash: Digest): Promise<string | undefined> {
    const { copies } = this.#options;
    if (copies === undefined) return undefined;
    try {
      return await materialise(treeHash, id, { folder: copies }, this.#context);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#options.onError?.(error);
      return undefined;
    }
  }
}

/** Returns the real path, which identifies copies. On a read-only disk, skills can still be read. */
async function makeFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await realpath(folder);
  } catch (error) {
    if (!["EROFS", "EACCES", "EPERM"].includes(errorCodeOf(error))) throw error;
    return resolve(folder);
  }
}

function pathOf(
  { id, revision, treeHash }: RegisteredSkill,
  label: string,
  copies: string | undefined,
): string {
  if (copies === undefined || treeHash === undefined) return `${label}:${id}@${revision}`;
  return revisionFolder(treeHash, id, { folder: copies });
}
