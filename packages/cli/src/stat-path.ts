import { type Stats, statSync } from "node:fs";
import { ioFailure } from "./io-failure.ts";

/** What lies at a path that a user named by `label`, or undefined when nothing does. */
export function statPath(path: string, label: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A link that leads to itself, a folder that may not be entered: something is there.
    throw ioFailure(`${label} cannot be read`, error);
  }
}
