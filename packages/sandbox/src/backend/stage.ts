import { randomBytes } from "node:crypto";
import { chmodSync, chownSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";

/**
 * The folder of this user for what runs need on disk. Root's can be passed through and not listed: root's runs are
 * made by other users, who reach what is opened to them there. Names in it are no secret, because the system shows
 * each user what is mounted where: what keeps others out is the mode of each folder. Throws IO_FAILED when what lies
 * there is not ours.
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

function rootPath(): string {
  const uid = process.getuid?.() ?? 0;
  // Root's own temporary folder may be closed to others.
  return join(uid === 0 && process.platform === "linux" ? "/var/tmp" : tmpdir(), `skillhold-${uid}`);
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

/** A new folder that is closed to all other users; `withOpenStages` opens it to one for a moment. */
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

/** What opens a stage, one after another: a stage has one group at a time. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Opens the stages in which these paths lie to a group while `work` goes on, and to nobody afterwards: who has
 * mounted a folder needs the way to it no more. For root, whose runs are made by other users.
 */
export async function withOpenStages<T>(
  paths: readonly string[],
  gid: number,
  work: () => Promise<T>,
): Promise<T> {
  // In an order that is the same for all, so that no two wait for each other.
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
  const before = turns.get(stage) ?? Promise.resolve();
  const turn = before.then(open);
  const done = turn.catch(() => undefined);
  turns.set(stage, done);
  try {
    return await turn;
  } finally {
    if (turns.get(stage) === done) turns.delete(stage);
  }
}

function stageOf(path: string): string | undefined {
  const root = rootPath();
  const [name = ""] = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/") : [];
  return NAME.test(name) ? join(root, name) : undefined;
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

/** Whether there is a process of this number. */
export function isAlive(pid: number): boolean {
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
  // Names are bytes: one that is no text could not be named again.
  for (const entry of await readdir(folder, { encoding: "buffer", withFileTypes: true })) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
    if (!entry.isDirectory()) await unlink(path);
    else found.push(await raise(path, top));
  }
  return found;
}

async function raise(path: Buffer, top: string): Promise<string> {
  const target = join(top, `.${randomBytes(8).toString("hex")}`);
  // To move a folder one must be able to write to it.
  await chmod(path, 0o700);
  await rename(path, target);
  return target;
}
