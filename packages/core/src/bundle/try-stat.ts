import { type Stats, statSync } from "node:fs";

/**
 * What lies at a path, through links; undefined when nothing does or it cannot be told. A link to itself and a folder
 * that may not be entered are things one meets on a disk, not failures of the program.
 */
export function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // ELOOP, EACCES, ENAMETOOLONG and their like: for the caller there is nothing to use.
    return undefined;
  }
}
