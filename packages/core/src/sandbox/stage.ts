import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, opendir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { errorCodeOf } from "../bundle/contain.ts";

/**
 * The folder of this user for what runs need on disk. Others can pass through it and cannot list it: a program of
 * another user reaches what it is given there, and no one else finds it. Throws IO_FAILED when what lies there is
 * not ours.
 */
export async function stageRoot(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  // Root's runs are made by other users, to whom root's own folders are closed.
  const root = join(uid === 0 && process.platform === "linux" ? "/var/tmp" : tmpdir(), `skillhold-${uid}`);
  await mkdir(root, { mode: 0o711 }).catch((error: unknown) => {
    if (errorCodeOf(error) !== "EEXIST") throw notUsable(root, error);
  });
  const stats = await lstat(root);
  const isOurs = stats.isDirectory() && (process.getuid === undefined || stats.uid === uid);
  if (!isOurs || (process.platform !== "win32" && (stats.mode & 0o022) !== 0)) throw notUsable(root);
  if ((stats.mode & 0o777) !== 0o711) await chmod(root, 0o711);
  return root;
}

function notUsable(root: string, cause?: unknown): SkillError {
  return new SkillError(
    "IO_FAILED",
    `${root} cannot be used: it has to be a folder that only you can change.`,
    {
      hint: `Remove ${root}, and look who made it.`,
      cause,
    },
  );
}

const NAME = /^run-(\d+)-[0-9a-f]{32}$/;
let isSwept = false;

/** A new folder that other users can pass through if they are told its name. */
export async function makeStage(): Promise<string> {
  const root = await stageRoot();
  if (!isSwept) {
    isSwept = true;
    await sweep(root, Date.now());
  }
  const folder = join(root, `run-${process.pid}-${randomBytes(16).toString("hex")}`);
  await mkdir(folder);
  await chmod(folder, 0o755);
  return folder;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Takes away what processes left that ended before they could. */
export async function sweep(root: string, now: number): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const stats = await lstat(join(root, name)).catch(() => undefined);
    if (stats !== undefined && now - stats.mtimeMs > DAY_MS) await removeStage(join(root, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
}

/**
 * Removes a folder that `makeStage` made, with all that is in it, read-only folders too. Links are removed and never
 * followed. Each folder is moved to the top before it is emptied, so that no depth makes a path too long.
 */
export async function removeStage(folder: string): Promise<void> {
  if (!NAME.test(basename(folder)) || dirname(folder) !== (await stageRoot())) {
    throw new SkillError("INTERNAL", `${folder} is no stage.`);
  }
  const stats = await lstat(folder).catch(() => undefined);
  if (stats === undefined) return;
  const emptied: string[] = [];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    waiting.push(...(await empty(next, folder)));
    if (next !== folder) emptied.push(next);
  }
  for (const each of emptied) await rmdir(each);
  await rmdir(folder);
}

/** Answers with the folders that were in it, which now lie at the top. */
async function empty(folder: string, top: string): Promise<readonly string[]> {
  await chmod(folder, 0o700);
  const found: string[] = [];
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) await unlink(path);
    else if (folder === top) found.push(path);
    else found.push(await raise(path, top));
  }
  return found;
}

async function raise(path: string, top: string): Promise<string> {
  const target = join(top, `.${randomBytes(8).toString("hex")}`);
  // To move a folder one must be able to write to it.
  await chmod(path, 0o700);
  await rename(path, target);
  return target;
}
