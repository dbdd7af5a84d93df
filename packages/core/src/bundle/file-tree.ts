import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from "node:fs";
import { type FileProblem, type ReadOptions, readBounded } from "./read-file.ts";
import { findRealPath } from "./real-path.ts";
import { stampOf } from "./stamp.ts";
import { tryStat } from "./try-stat.ts";

/** The files among which skills are found and packed: a disk, or an archive in memory. All paths are absolute. */
export interface FileTree {
  /** Undefined when the path cannot be resolved. */
  realPath(path: string): string | undefined;
  /** Throws when the folder cannot be listed. */
  list(folder: string): readonly TreeEntry[];
  /** The same one by one, so that a caller can stop at a limit. */
  entries(folder: string): Iterable<TreeEntry>;
  /** Does not follow links; undefined when the path is missing or unreadable. */
  stat(path: string): TreeStats | undefined;
  /** The stats on the disk, through links; undefined when the path is missing or not on a disk. */
  diskStats(path: string): Stats | undefined;
  read(path: string, maxBytes: number, options?: ReadOptions): TreeRead;
}

export type TreeEntry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;
export type TreeRead = { readonly bytes: Uint8Array } | { readonly problem: FileProblem };

export interface TreeStats {
  readonly kind: "file" | "folder" | "link" | "special";
  readonly size: number;
  /** The number of hard links. */
  readonly links: number;
  readonly executable: boolean;
  /** Changes whenever the file may have changed. */
  readonly stamp: string;
  /** Absent in a tree that never changes. */
  readonly ctimeMs?: number;
}

export const diskTree: FileTree = {
  realPath: findRealPath,
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  *entries(folder) {
    const handle = opendirSync(folder, { bufferSize: 256 });
    try {
      for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) yield entry;
    } finally {
      handle.closeSync();
    }
  },
  stat(path) {
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats && treeStats(stats);
    } catch {
      // A path that cannot be read counts as missing.
      return undefined;
    }
  },
  diskStats: tryStat,
  read: readBounded,
};

function treeStats(stats: Stats): TreeStats {
  const { size, nlink: links, ctimeMs } = stats;
  const executable = hasExecuteBit(stats);
  return { kind: kindOf(stats), size, links, executable, stamp: stampOf(stats), ctimeMs };
}

function kindOf(stats: Stats): TreeStats["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "special";
}

/** The owner's bit, as in git. Windows derives one from the extension, which is not the author's choice. */
export function hasExecuteBit({ mode }: Pick<Stats, "mode">): boolean {
  return process.platform !== "win32" && (mode & 0o100) !== 0;
}
