import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { ioFailure, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";

/** The named format, or the one of the file extension, or the first. */
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
  throw new SkillError("USAGE", `The format of ${out} cannot be determined from its file extension.`, {
    hint: `Add --format with one of ${formats.join(", ")}.`,
  });
}

/** Writes a file atomically and replaces an existing one. */
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
    // The caller reports the write failure, which is the cause of this one.
  }
}

/**
 * Runs work with an empty output folder. Creates the folder if needed, and removes it again when the work fails and the
 * folder is still empty.
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
    hint: "Set --out to an empty or new folder, because existing files are never overwritten.",
  });
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // The folder is no longer empty, so it stays.
  }
}
