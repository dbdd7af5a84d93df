import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol/error";

/**
 * Creates a folder and its parents. Node's recursive mkdir loops forever where the system reports ENOENT for
 * a folder that cannot be created, as in `/proc`.
 */
export function makeFolder(path: string): void {
  try {
    const missing: string[] = [];
    for (let at = path; !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
    for (const each of missing.toReversed()) makeOne(each);
  } catch (error) {
    throw new SkillError("IO_FAILED", `The folder ${path} cannot be created.`, {
      details: { path },
      cause: error,
    });
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it first.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
