import { realpathSync } from "node:fs";

/** Where a path leads by links; undefined when it leads nowhere. */
export function findRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Whatever the cause, there is nothing to use; the caller says so.
    return undefined;
  }
}
