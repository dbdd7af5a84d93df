import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { SAFE_OPEN } from "./contain.ts";

/**
 * Reads a cached file, which the caller must hash. Requests one byte more than expected, which detects a longer file.
 * Throws when the file does not exist.
 */
export async function readCachedFile(path: string, size: number): Promise<Uint8Array> {
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

/**
 * Writes a file atomically. Contract: `partial` is a unique name in the same folder. A durable file is never empty after
 * a power failure.
 */
export async function writeFileAtomically(
  path: string,
  partial: string,
  bytes: Uint8Array,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  try {
    const handle = await open(partial, flags, 0o400);
    try {
      await handle.writeFile(bytes);
      if (isDurable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, path);
  } catch (error) {
    // The original error matters more than a failed cleanup.
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}
