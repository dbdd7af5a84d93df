import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { SAFE_OPEN } from "./contain.ts";

/**
 * Reads a file that was kept, to be hashed by whoever asks: one byte more than expected is read, which shows a file that
 * is longer. Throws when there is none.
 */
export async function readKeptFile(path: string, size: number): Promise<Uint8Array> {
  const handle = await open(path, SAFE_OPEN);
  try {
    const buffer = Buffer.allocUnsafe(size + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** Puts a file in its place whole, or not at all. Contract: `partial` is a name beside it that nobody else has. */
export async function keepFile(path: string, partial: string, bytes: Uint8Array): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  try {
    const handle = await open(partial, flags, 0o400);
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    await rename(partial, path);
  } catch (error) {
    // What went wrong is told, and not that the rest of it could not be taken away.
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}
