import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { ioFailure, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";

/**
 * Uses an empty folder for what a run makes. One that is not there is made, and taken away again when the work
 * fails and has left nothing in it.
 */
export async function withOutFolder<T>(
  path: string,
  label: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const isMade = prepare(path, label);
  try {
    return await work(path);
  } catch (error) {
    if (isMade) removeEmpty(path);
    throw error;
  }
}

function prepare(path: string, label: string): boolean {
  const stats = statPath(path, label);
  try {
    if (stats === undefined) {
      mkdirSync(path, { recursive: true });
      return true;
    }
    if (stats.isDirectory() && readdirSync(path).length === 0) return false;
  } catch (error) {
    throw ioFailure(`${label} cannot be used`, error);
  }
  throw new SkillError("USAGE", `${label} is not an empty folder.`, {
    hint: "Name a folder for --out that is empty or does not exist: nothing is overwritten.",
  });
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Something is in it by now, and it stays.
  }
}
