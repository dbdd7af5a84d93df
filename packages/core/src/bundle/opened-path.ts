import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { foldName } from "@skillhold/skill";

/** True when an open file is the file at its absolute, link-free path. */
export function isOpenedAt(fd: number, stats: Stats, absolute: string): boolean {
  if (process.platform === "linux") {
    const kernelPath = readKernelPath(fd);
    if (kernelPath !== undefined) return kernelPath === absolute;
  }
  return isSameFileAt(stats, absolute);
}

/**
 * For systems without `/proc`: the path has no link, and the file there is the opened one. A swap after opening shows
 * as another inode.
 */
export function isSameFileAt(stats: Stats, absolute: string): boolean {
  try {
    if (!isLinkFree(absolute)) return false;
    const found = lstatSync(absolute);
    if (found.dev !== stats.dev || found.ino !== stats.ino) return false;
    // Checked again, because a folder could be swapped for the first check and back for `lstat`.
    return isLinkFree(absolute);
  } catch {
    // The path is gone or cannot be resolved, so the open file is not at it.
    return false;
  }
}

/** Folded, because a case-insensitive disk returns its own spelling of a name. */
function isLinkFree(absolute: string): boolean {
  return foldName(realpathSync.native(absolute)) === foldName(absolute);
}

function readKernelPath(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // This mount namespace has no /proc; the caller has a fallback.
    return undefined;
  }
}
