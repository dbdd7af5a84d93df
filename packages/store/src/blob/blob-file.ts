import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a file for reading without following links. `"odd"` stands for an entry that cannot be read as a
 * file.
 */
export async function openIfThere(path: string): Promise<FileHandle | "odd" | undefined> {
  try {
    const handle = await open(path, FLAGS);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return "odd";
  } catch (error) {
    if (isMissing(error) || codeOf(error) === "ELOOP") return undefined;
    if (isOdd(error)) return "odd";
    throw error;
  }
}

/** Whether a failure concerns only this file. */
export function isOdd(error: unknown): boolean {
  return ["EACCES", "EPERM", "EISDIR", "ENXIO", "ENODEV", "EIO"].includes(String(codeOf(error)));
}

export async function lookIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether the file exists and was last put before the given time. */
export async function isOlder(path: string, before: number): Promise<boolean> {
  const stats = await lookIfThere(path);
  return stats !== undefined && stats.mtimeMs < before;
}

/** Writes a new file. Its bytes are on disk when this returns; its name may not be. */
export async function writeSynced(path: string, bytes: Uint8Array, time: Date): Promise<void> {
  const handle = await open(path, "wx", 0o444);
  try {
    await handle.writeFile(bytes);
    await handle.utimes(time, time);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}

export function isNoFolder(error: unknown): boolean {
  return codeOf(error) === "ENOTDIR";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
