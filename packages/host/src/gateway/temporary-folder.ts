import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ioFailure } from "../place/io-failure.ts";

const DAY_MS = 86_400_000;

/** Makes a folder for what is there for moments, the user's alone. What someone who was killed left there is taken away. */
export async function openTemporary(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await removeOld(join(folder, name));
    return folder;
  } catch (error) {
    throw ioFailure(`${folder} cannot be made`, error);
  }
}

/** Another gateway may be using what is not old. */
async function removeOld(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS)
    await rm(path, { recursive: true, force: true });
}
