import { realpathSync } from "node:fs";

/** The real path; undefined when it cannot be resolved. */
export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // The caller reports the missing path.
    return undefined;
  }
}
