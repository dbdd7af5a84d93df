import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { foldName } from "@skillhold/skill";
import { normalizeRelative, type RelativePath } from "../bundle/index.ts";
import type { ArchiveEntry, EntryKind } from "./archive-entry.ts";
import { exceedsLimit, refuseArchive } from "./refusal.ts";

/** What an entry is said to be. */
export interface EntryClaim {
  readonly name: string;
  readonly kind: EntryKind;
  readonly size: number;
  /** The bytes it has in the archive, where each entry is compressed by itself. */
  readonly packed?: number;
}

/** Folders and leftovers that may come with each file. */
const ENTRIES_PER_FILE = 10;
/** Less than this is no bomb, however well it was compressed; a page of blanks is compressed a thousandfold. */
export const RATIO_FREE_BYTES = 64 * 1024;

/** The most entries, folders that are only named on the way among them, that are looked at. */
export function maxEntries(limits: Limits): number {
  return limits.bundleFiles * ENTRIES_PER_FILE;
}

/** Holds the entries of an archive, of any format, to the rules for names, twins and limits as they are read. */
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

  /** Takes an entry in or refuses the archive. */
  admit(claim: EntryClaim): Pick<ArchiveEntry, "path" | "isDropped"> {
    const { name, kind } = claim;
    const path = readPath(name, kind, this.#limits);
    if (path === "") this.#count(name);
    else this.#take(path, kind, name);
    const isDropped = path.split("/").some(isLeftover);
    if (kind === "file") this.#weigh(claim, isDropped);
    return { path, isDropped };
  }

  /** To be called when all are in. */
  finish(): void {
    const { archiveRatio } = this.#limits;
    if (this.#files === 0) throw refuseArchive("empty", "holds no files");
    if (isBomb(this.#bytes, this.#archiveBytes, archiveRatio)) {
      throw exceedsLimit(
        "archiveRatio",
        this.#limits,
        `would unpack to more than ${archiveRatio} times its size`,
      );
    }
  }

  /** The folders above it are taken too, so that no two spellings of one of them pass for two. */
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
    if (twin.isListed) throw refuseArchive("duplicate", "is there twice", name);
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
      const problem = `is said to unpack to more than ${archiveRatio} times its size`;
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
  /** False for a folder that is so far only named by what is in it. */
  isListed: boolean;
}

/**
 * The one liberty: `./` before a name is taken off, once, because tar puts it there when it is given a folder as `.`.
 * The folder itself is then `./`, which is the empty path.
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
    throw refuseArchive("name", typeof problem === "string" ? problem : "has a path that is no path", name);
  }
}

function rejectTwin(twin: Taken, path: string, kind: EntryKind, name: string): void {
  if (twin.path !== path) {
    const problem = `has a path that some disks take for that of ${JSON.stringify(twin.path)}`;
    throw refuseArchive("collision", problem, name);
  }
  if (twin.kind !== kind) {
    throw refuseArchive("duplicate", `makes ${JSON.stringify(path)} a file and a folder`, name);
  }
}

function isBomb(size: number, packed: number, ratio: number): boolean {
  return size > RATIO_FREE_BYTES && size > packed * ratio;
}

/** What a Mac puts into archives by itself. What else a bundle leaves out is for the packer to say. */
function isLeftover(name: string): boolean {
  return name === "__MACOSX" || name === ".DS_Store" || name.startsWith("._");
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
