import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { ioFailure, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";

/** What kind of thing to write: as it is named, or as the ending of the name says, or the first. */
export function chooseFormat<Format extends string>(
  out: string | undefined,
  named: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format {
  const chosen = formats.find((format) => format === named);
  if (chosen !== undefined) return chosen;
  if (out === undefined) return formats[0];
  if (out.endsWith(".tgz")) return formats.find((format) => format === "tar.gz") ?? formats[0];
  const byEnding = formats.find((format) => out.endsWith(`.${format}`));
  if (byEnding !== undefined) return byEnding;
  throw new SkillError("USAGE", `What to write to ${out} cannot be told from its ending.`, {
    hint: `Give --format: ${formats.join(", ")}.`,
  });
}

/** Writes a file that is there whole or not at all; one that is there is replaced. */
export function writeOutFile(path: string, label: string, bytes: Uint8Array): void {
  const partial = `${path}.partial-${process.pid}`;
  try {
    writeFileSync(partial, bytes, { flag: "wx" });
    renameSync(partial, path);
  } catch (error) {
    removePartial(partial);
    throw ioFailure(`${label} cannot be written`, error);
  }
}

function removePartial(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What kept it from being written keeps it from being removed, and is told.
  }
}

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
