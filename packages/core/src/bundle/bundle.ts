import { SkillError } from "@skillhold/protocol/error";
import type { LimitName, Limits } from "@skillhold/protocol/limits";
import type { FileRole } from "@skillhold/skill";
import type { RelativePath } from "./contain.ts";

/** The files of a skill, sorted by the UTF-8 bytes of their paths. */
export interface Bundle {
  /** The real path of the skill's folder. */
  readonly root: string;
  readonly files: readonly BundleFile[];
  readonly omitted: readonly Omission[];
  /** References to `_shared` that point outside the bundle and break once only the bundle exists. */
  readonly strayReferences: readonly StrayReference[];
  /** The total size of all files. */
  readonly bytes: number;
  /** Whether files with several hard links were accepted; reading the bundle must then accept them too. */
  readonly allowHardLinks: boolean;
}

export interface BundleFile {
  readonly path: RelativePath;
  readonly size: number;
  /** The owner's execute bit. Always false on Windows, which lacks the bit; records keep the bit there. */
  readonly executable: boolean;
  readonly role: FileRole;
  /** The real folder that `path` is relative to: the skill's folder, or its parent for `_shared` helpers. */
  readonly base: string;
  /** The absolute path to read from. */
  readonly origin: string;
  /** Changes whenever the file changes, even if its times are set back, so digests can be cached by it. */
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

/** An entry of the folder that is not in the bundle. A folder stands for all its content. */
export interface Omission {
  readonly path: string;
  readonly reason: OmissionReason;
  readonly message: string;
}

export interface StrayReference {
  /** The file that refers to `_shared`. */
  readonly path: string;
  /** The reference as written, and the one that works in the bundle. */
  readonly reference: string;
  readonly expected: string;
}

/** The most entries visited per allowed file, which bounds the walk as well. */
const ENTRIES_PER_FILE = 10;

/** Counts files and bytes of a bundle and throws at the first exceeded limit. */
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

  /** Counts a visited entry, packed or not. */
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
