import { SkillError } from "@skillhold/protocol/error";
import type { LimitName, Limits } from "@skillhold/protocol/limits";
import type { FileRole } from "@skillhold/skill";
import type { RelativePath } from "./contain.ts";

/** The files that are a skill, in the order of their paths' UTF-8 bytes. */
export interface Bundle {
  /** The real path of the skill's folder. */
  readonly root: string;
  readonly files: readonly BundleFile[];
  readonly omitted: readonly Omission[];
  /** References to `_shared` that lead out of the bundle, and so break where only the bundle is. */
  readonly strayReferences: readonly StrayReference[];
  /** The sizes of all files together. */
  readonly bytes: number;
  /** Whether files with several names were let in; reading the bundle must then let them in too. */
  readonly allowHardLinks: boolean;
}

export interface BundleFile {
  readonly path: RelativePath;
  readonly size: number;
  /** The owner's execute bit. Always false on Windows, which has none: there it is kept in records. */
  readonly executable: boolean;
  readonly role: FileRole;
  /** The real folder that `path` is opened in: the skill's own, or for `_shared` helpers the one above it. */
  readonly base: string;
  /** The absolute path to read from. */
  readonly origin: string;
  /** Changes whenever the file does, even when its times are set back: a digest may be kept as long as it stays. */
  readonly stamp: string;
}

export type OmissionReason =
  | "ignored"
  | "junk"
  | "link"
  | "hard-link"
  | "special"
  | "bad-name"
  | "collision"
  | "nested-skill"
  | "unreadable";

/** Something in the folder that is not in the bundle. A folder stands for all that is below it. */
export interface Omission {
  readonly path: string;
  readonly reason: OmissionReason;
  readonly message: string;
}

export interface StrayReference {
  /** The file that refers to `_shared`. */
  readonly path: string;
  /** What it says, and what it would have to say. */
  readonly reference: string;
  readonly expected: string;
}

/** How many entries of a folder are looked at for each that a bundle may hold, so that the walk ends as well. */
const ENTRIES_PER_FILE = 10;

/** Counts what goes into a bundle and stops at the first limit that is passed. */
export class BundleMeter {
  readonly limits: Limits;
  #files = 0;
  #bytes = 0;
  #entries = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an entry that was looked at, taken or not. */
  addEntry(path: string): void {
    this.#entries += 1;
    if (this.#entries <= this.limits.bundleFiles * ENTRIES_PER_FILE) return;
    throw exceeds("bundleFiles", this.limits, `The folder has more than ${this.#entries - 1} entries`, path);
  }

  addFile(path: string, size: number): void {
    this.#files += 1;
    this.#bytes += size;
    const { bundleFiles, unpackedBytes } = this.limits;
    if (this.#files > bundleFiles)
      throw exceeds("bundleFiles", this.limits, `The skill has more than ${bundleFiles} files`, path);
    if (this.#bytes > unpackedBytes)
      throw exceeds("unpackedBytes", this.limits, `The skill has more than ${unpackedBytes} bytes`, path);
  }

  checkPath(path: string): void {
    const { pathBytes, pathDepth } = this.limits;
    if (Buffer.byteLength(path) > pathBytes) {
      throw exceeds("pathBytes", this.limits, `The skill has a path longer than ${pathBytes} bytes`, path);
    }
    if (path.split("/").length > pathDepth) {
      throw exceeds("pathDepth", this.limits, `The skill has a path deeper than ${pathDepth} levels`, path);
    }
  }
}

function exceeds(limit: LimitName, limits: Limits, message: string, path: string): SkillError {
  const details = { limit, max: limits[limit], path };
  return new SkillError("LIMIT_EXCEEDED", `${message} (limit ${limit}, at ${path.slice(0, 120)}).`, {
    details,
  });
}
