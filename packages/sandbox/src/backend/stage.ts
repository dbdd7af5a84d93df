import { randomBytes } from "node:crypto";
import { accessSync, chmodSync, chownSync, constants, lstatSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { errorCodeOf } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";

/**
 * This user's folder for run data. Root's folder can be entered but not listed, because root's runs use other
 * users. Names in it are not secret, since every user can see mount paths; folder modes protect the content.
 * Throws IO_FAILED when the folder belongs to another user.
 */
export async function stageRoot(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const root = rootPath();
  const mode = uid === 0 ? 0o711 : 0o700;
  await mkdir(root, { mode }).catch((error: unknown) => {
    if (errorCodeOf(error) !== "EEXIST") throw notUsable(root, error);
  });
  const stats = await lstat(root);
  const isOurs = stats.isDirectory() && (process.getuid === undefined || stats.uid === uid);
  if (!isOurs || (process.platform !== "win32" && (stats.mode & 0o022) !== 0)) throw notUsable(root);
  if ((stats.mode & 0o777) !== mode) await chmod(root, mode);
  return root;
}

/**
 * A folder in a place where no other user can create names: the user's runtime folder or cache folder. Root's runs use
 * other users, who may not enter root's folders, so root uses a folder of the system. The shared temporary folder is the
 * last resort: another user could take the name there, and runs would fail.
 */
export function rootPath(uid = process.getuid?.() ?? 0, env: NodeJS.ProcessEnv = process.env): string {
  const { SKILLHOLD_STAGE: given, XDG_RUNTIME_DIR: runtime = "", HOME: home = "" } = env;
  if (given !== undefined) return given;
  const isRoot = uid === 0 && process.platform === "linux";
  const { XDG_CACHE_HOME: cache = join(home, ".cache") } = env;
  const parents = isRoot ? ["/var/lib"] : [runtime, cache];
  const own = parents.find((folder) => isAbsolute(folder) && isOwn(folder, uid));
  return join(own ?? (isRoot ? "/var/tmp" : tmpdir()), `skillhold-${uid}`);
}

function isOwn(folder: string, uid: number): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true || stats.uid !== uid || (stats.mode & 0o022) !== 0) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    // The disk is read-only.
    return false;
  }
}

function notUsable(root: string, cause?: unknown): SkillError {
  return new SkillError("IO_FAILED", `${root} is not a folder that only you can change.`, {
    hint: `Find out who created ${root}, then remove it.`,
    cause,
  });
}

const NAME = /^run-(\d+)-[0-9a-f]{32}$/;
let isSwept = false;

/** Creates a folder that is closed to all other users; `withOpenStages` opens it temporarily. */
export async function makeStage(): Promise<string> {
  const root = await stageRoot();
  if (!isSwept) {
    isSwept = true;
    await sweep(root, Date.now());
  }
  const folder = join(root, `run-${process.pid}-${randomBytes(16).toString("hex")}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** The openings of a stage, one after the other, because a stage has one group at a time. */
const openings = new Map<string, { readonly queue: SerialQueue; users: number }>();

/**
 * Opens the stages that contain these paths to a group during `work`. Afterwards they are closed, because
 * existing mounts need no access to the path. Used by root, whose runs use other users.
 */
export async function withOpenStages<T>(
  paths: readonly string[],
  gid: number,
  work: () => Promise<T>,
): Promise<T> {
  // Sorted, so that two callers cannot deadlock.
  const stages = [...new Set(paths.flatMap((path) => stageOf(path) ?? []))].sort();
  const [stage, ...others] = stages;
  if (stage === undefined) return await work();
  const open = async (): Promise<T> => {
    chownSync(stage, 0, gid);
    chmodSync(stage, 0o750);
    try {
      return await withOpenStages(others, gid, work);
    } finally {
      chmodSync(stage, 0o700);
      chownSync(stage, 0, 0);
    }
  };
  const opening = openings.get(stage) ?? { queue: new SerialQueue(), users: 0 };
  openings.set(stage, opening);
  opening.users += 1;
  try {
    return await opening.queue.run(open);
  } finally {
    opening.users -= 1;
    if (opening.users === 0) openings.delete(stage);
  }
}

function stageOf(path: string): string | undefined {
  const root = rootPath();
  const [name = ""] = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/") : [];
  return NAME.test(name) ? join(root, name) : undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes folders of processes that ended before cleaning up. */
export async function sweep(root: string, now: number): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const stats = await lstat(join(root, name)).catch(() => undefined);
    if (stats !== undefined && now - stats.mtimeMs > DAY_MS) await removeStage(join(root, name));
  }
}

/** True when a process with this pid exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
}

/**
 * Removes a folder that `makeStage` created, including read-only content. Links are removed, never followed.
 * Each subfolder is moved to the top before it is emptied, so deep nesting does not exceed the path length.
 */
export async function removeStage(folder: string): Promise<void> {
  if (!NAME.test(basename(folder)) || dirname(folder) !== (await stageRoot())) {
    throw new SkillError("INTERNAL", `${folder} is not a stage.`);
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

/** Returns the subfolders, which are now at the top. */
async function empty(folder: string, top: string): Promise<readonly string[]> {
  await chmod(folder, 0o700);
  const found: string[] = [];
  // Names are bytes, because a name that is not valid text could not be addressed again.
  for (const entry of await readdir(folder, { encoding: "buffer", withFileTypes: true })) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
    if (!entry.isDirectory()) await unlink(path);
    else found.push(await raise(path, top));
  }
  return found;
}

async function raise(path: Buffer, top: string): Promise<string> {
  const target = join(top, `.${randomBytes(8).toString("hex")}`);
  // Moving a folder requires write access to it.
  await chmod(path, 0o700);
  await rename(path, target);
  return target;
}
