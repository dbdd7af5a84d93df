import { type Stats, statSync } from "node:fs";

/**
 * The stats of a path, through links; undefined when it is missing or cannot be read. Link loops and forbidden folders
 * are normal on a disk, not errors.
 */
export function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // ELOOP, EACCES, ENAMETOOLONG and similar: the path is unusable.
    return undefined;
  }
}
