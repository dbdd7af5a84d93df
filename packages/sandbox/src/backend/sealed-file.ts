import { closeSync, constants, openSync } from "node:fs";
import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeStage, removeStage } from "./stage.ts";

/** Bytes that programs are handed as an open file. Nobody can change them: the file has no name any more. */
export interface SealedFile {
  /** A descriptor that starts at the beginning. Whoever gets it closes it. */
  open(): number;
}

/** Contract: made once for what is the same in every run; it is kept as long as this process lives. */
export async function sealFile(bytes: string | Uint8Array): Promise<SealedFile> {
  const stage = await makeStage();
  try {
    const path = join(stage, "file");
    await writeFile(path, bytes, { flag: "wx", mode: 0o400 });
    const anchor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    await unlink(path);
    // By way of its number it is opened anew: a descriptor that was handed on shares its place in the file.
    return { open: () => openSync(`/proc/self/fd/${anchor}`, "r") };
  } finally {
    await removeStage(stage);
  }
}

/** Opens all, or none. */
export function openAll(files: Readonly<Record<number, SealedFile>>): Readonly<Record<number, number>> {
  const opened: Record<number, number> = {};
  try {
    for (const [place, file] of Object.entries(files)) opened[Number(place)] = file.open();
    return opened;
  } catch (error) {
    for (const descriptor of Object.values(opened)) closeSync(descriptor);
    throw error;
  }
}
