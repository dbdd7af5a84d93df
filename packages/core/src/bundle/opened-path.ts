import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { foldName } from "@skillhold/skill";

/** True when an open file is the one that its absolute, link-free path names. */
export function isOpenedAt(fd: number, stats: Stats, absolute: string): boolean {
  if (process.platform === "linux") {
    const kernelPath = readKernelPath(fd);
    if (kernelPath !== undefined) return kernelPath === absolute;
  }
  return isSameFileAt(stats, absolute);
}

/**
 * Where there is no `/proc`: the path has no link in it, and what lies there is what was opened. A swap
 * between opening and looking shows as another inode.
 */
export function isSameFileAt(stats: Stats, absolute: string): boolean {
  try {
    if (!isLinkFree(absolute)) return false;
    const found = lstatSync(absolute);
    if (found.dev !== stats.dev || found.ino !== stats.ino) return false;
    // A second look: a folder swapped for the first one and back for `lstat` would have to be swapped again.
    return isLinkFree(absolute);
  } catch {
    // The path is gone or cannot be resolved: then it does not name the open file, which is the answer.
    return false;
  }
}

/** Folded, because a case-insensitive disk gives back its own spelling of a name. */
function isLinkFree(absolute: string): boolean {
  return foldName(realpathSync.native(absolute)) === foldName(absolute);
}

function readKernelPath(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // No /proc in this mount namespace: the caller has another way to know.
    return undefined;
  }
}
