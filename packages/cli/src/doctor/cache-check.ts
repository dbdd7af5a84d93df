import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { shortPath } from "@skillhold/host/place";
import type { Io } from "../terminal/output.ts";
import { formatSize } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

/** The file that makes the next start cheap. Everything works without it, only slower. */
export function checkCache(file: string | undefined, isOn: boolean, io: Pick<Io, "cwd" | "env">): Check {
  const name = "cache";
  if (!isOn) return ok(name, "The cache is switched off for this command.");
  if (file === undefined)
    return warn(
      name,
      "There is no folder for a cache.",
      "Set HOME or XDG_CACHE_HOME to a folder of your own.",
    );
  const place = shortPath(io, file);
  const size = sizeOf(file);
  // The dot makes a file where a folder should be count as not writable.
  if (size !== "unknown" && isWritable(size === undefined ? `${nearest(dirname(file))}/.` : file))
    return ok(name, `${place} ${size === undefined ? "is not there yet" : `has ${formatSize(size)}`}.`);
  const fix = `Make ${place} writable, or set XDG_CACHE_HOME to a folder that is.`;
  return warn(name, `${place} cannot be written, so that every start reads all skills.`, fix);
}

function sizeOf(file: string): number | "unknown" | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch {
    // It lies behind a link that leads to itself, or where this user may not look.
    return "unknown";
  }
}

/** The first on the way up that exists: there the missing folders would be made. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Whatever the reason, the cache is done without.
    return false;
  }
}
