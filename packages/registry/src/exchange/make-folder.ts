import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol/error";

/**
 * Makes a folder, and those that it lies in. Node's own way of doing so never ends where the system says of a folder
 * that cannot be made that it is missing, as it does in `/proc`.
 */
export function makeFolder(path: string): void {
  try {
    const missing: string[] = [];
    for (let at = path; !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
    for (const each of missing.toReversed()) makeOne(each);
  } catch (error) {
    throw new SkillError("IO_FAILED", `The folder ${path} cannot be made.`, {
      details: { path },
      cause: error,
    });
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
