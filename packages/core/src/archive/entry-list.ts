import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { foldName, isLeftover } from "@skillhold/skill";
import { normalizeRelative, type RelativePath } from "../bundle/index.ts";
import type { ArchiveEntry, EntryKind } from "./archive-entry.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";

/** The claimed facts of an entry. */
export interface EntryClaim {
  readonly name: string;
  readonly kind: EntryKind;
  readonly size: number;
  /** The compressed size, in formats that compress entries separately. */
  readonly packed?: number;
}

/** The allowed folders and dropped entries per file. */
const ENTRIES_PER_FILE = 10;
/** Smaller output is never a bomb: a page of spaces compresses a thousandfold. */
export const RATIO_FREE_BYTES = 64 * 1024;

/** The most entries, including implied folders. */
export function maxEntries(limits: Limits): number {
  return limits.bundleFiles * ENTRIES_PER_FILE;
}

/** Applies the rules for names, duplicates and limits to the entries of any archive format. */
export class EntryList {
  readonly #limits: Limits;
  readonly #archiveBytes: number;
  readonly #taken = new Map<string, Taken>();
  #entries = 0;
  #files = 0;
  #bytes = 0;

  constructor(limits: Limits, archiveBytes: number) {
    this.#limits = limits;
    this.#archiveBytes = archiveBytes;
  }

  /** Adds an entry or rejects the archive. */
  admit(claim: EntryClaim): Pick<ArchiveEntry, "path" | "isDropped"> {
    const { name, kind } = claim;
    const path = readPath(name, kind, this.#limits);
    if (path === "") this.#count(name);
    else this.#take(path, kind, name);
    const isDropped = path.split("/").some(isLeftover);
    if (kind === "file") this.#weigh(claim, isDropped);
    return { path, isDropped };
  }

  /** Contract: called after the last entry. */
  finish(): void {
    const { archiveRatio } = this.#limits;
    if (this.#files === 0) throw rejectArchive("empty", "contains no files");
    if (isBomb(this.#bytes, this.#archiveBytes, archiveRatio)) {
      throw exceedsLimit(
        "archiveRatio",
        this.#limits,
        `would unpack to more than ${archiveRatio} times its size`,
      );
    }
  }

  /** Adds the parent folders too, so that two spellings of one folder are detected. */
  #take(path: RelativePath, kind: EntryKind, name: string): void {
    const key = foldName(path);
    const twin = this.#taken.get(key);
    if (twin === undefined) {
      this.#takeFolder(parentOf(path), name);
      this.#count(name);
      this.#taken.set(key, { path, kind, isListed: true });
      return;
    }
    rejectTwin(twin, path, kind, name);
    if (twin.isListed) throw rejectArchive("duplicate", "appears twice", name);
    twin.isListed = true;
  }

  #takeFolder(path: string, name: string): void {
    if (path === "") return;
    const key = foldName(path);
    const twin = this.#taken.get(key);
    if (twin !== undefined) {
      rejectTwin(twin, path, "folder", name);
      return;
    }
    this.#takeFolder(parentOf(path), name);
    this.#count(name);
    this.#taken.set(key, { path, kind: "folder", isListed: false });
  }

  #count(name: string): void {
    this.#entries += 1;
    const max = maxEntries(this.#limits);
    if (this.#entries > max) {
      throw exceedsLimit("bundleFiles", this.#limits, `is one of more than ${max} files and folders`, name);
    }
  }

  #weigh({ name, size, packed }: EntryClaim, isDropped: boolean): void {
    const { bundleFiles, unpackedBytes, archiveRatio } = this.#limits;
    this.#bytes += size;
    if (this.#bytes > unpackedBytes) {
      throw exceedsLimit("unpackedBytes", this.#limits, `takes it to more than ${unpackedBytes} bytes`, name);
    }
    if (packed !== undefined && isBomb(size, packed, archiveRatio)) {
      const problem = `claims to unpack to more than ${archiveRatio} times its size`;
      throw exceedsLimit("archiveRatio", this.#limits, problem, name);
    }
    if (isDropped) return;
    this.#files += 1;
    if (this.#files > bundleFiles) {
      throw exceedsLimit("bundleFiles", this.#limits, `takes it to more than ${bundleFiles} files`, name);
    }
  }
}

interface Taken {
  readonly path: string;
  readonly kind: EntryKind;
  /** False for a folder that is only implied by its content. */
  isListed: boolean;
}

/**
 * Removes one leading `./`, which tar adds for a folder given as `.`. The folder itself is then `./`, the empty path.
 */
function readPath(name: string, kind: EntryKind, limits: Limits): RelativePath | "" {
  const bare = name.startsWith("./") ? name.slice(2) : name;
  const path = kind === "folder" && bare.endsWith("/") ? bare.slice(0, -1) : bare;
  if (kind === "folder" && (name === "./" || name === ".")) return "";
  const { pathBytes, pathDepth } = limits;
  if (path.length > pathBytes || Buffer.byteLength(path) > pathBytes) {
    throw exceedsLimit("pathBytes", limits, `has a path longer than ${pathBytes} bytes`, name);
  }
  if (path.split("/").length > pathDepth) {
    throw exceedsLimit("pathDepth", limits, `has a path deeper than ${pathDepth} levels`, name);
  }
  try {
    return normalizeRelative(path, limits);
  } catch (error) {
    const problem = error instanceof SkillError ? error.details["problem"] : undefined;
    throw rejectArchive("name", typeof problem === "string" ? problem : "has an invalid path", name);
  }
}

function rejectTwin(twin: Taken, path: string, kind: EntryKind, name: string): void {
  if (twin.path !== path) {
    const problem = `has a path that is the same on some disks as ${JSON.stringify(twin.path)}`;
    throw rejectArchive("collision", problem, name);
  }
  if (twin.kind !== kind) {
    throw rejectArchive("duplicate", `makes ${JSON.stringify(path)} a file and a folder`, name);
  }
}

function isBomb(size: number, packed: number, ratio: number): boolean {
  return size > RATIO_FREE_BYTES && size > packed * ratio;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
