import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, copyFile, lstat, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stageRoot } from "./stage.ts";

/** True when every user can read and run a file. Contract: the path is real. */
export async function isOpenToAll(file: string): Promise<boolean> {
  if (((await stat(file)).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * Keeps a copy of a program that every user can run, one per state of the original. A copy that others can
 * write to is replaced, because they could change the code of later runs.
 */
export async function keepCopy(program: string): Promise<string> {
  const original = await stat(program);
  const folder = join(await stageRoot(), "runtime");
  const copy = join(folder, digest([program, original.size, original.mtimeMs, original.ino].join("\0")));
  if (isGood(await lstat(copy).catch(() => undefined), original)) return copy;
  await mkdir(folder, { recursive: true, mode: 0o711 });
  await chmod(folder, 0o711);
  const draft = `${copy}.${randomBytes(8).toString("hex")}`;
  try {
    await copyFile(program, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(draft, 0o755);
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return copy;
}

function isGood(copy: Stats | undefined, original: Stats): boolean {
  return (
    copy?.isFile() === true &&
    copy.uid === process.getuid?.() &&
    (copy.mode & 0o777) === 0o755 &&
    copy.size === original.size
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
