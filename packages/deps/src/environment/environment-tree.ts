import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import { isBelow } from "@skillhold/sandbox/backend";

const STAGE = /^\.stage-/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A folder in which an environment is made, with a home and a folder for temporary files; `rm` takes it away. */
export async function makeEnvironmentStage(home: string): Promise<string> {
  await sweep(home);
  const stage = join(home, `.stage-${process.pid}-${randomBytes(8).toString("hex")}`);
  // Package managers write logs there, with what they were told.
  await mkdir(stage, { mode: 0o700 });
  for (const name of ["home", "tmp", "environment"]) await mkdir(join(stage, name));
  return stage;
}

/** What an installation left that ended before it could clean up. */
async function sweep(home: string): Promise<void> {
  for (const name of (await readdir(home)).filter((each) => STAGE.test(each))) {
    const stats = await lstat(join(home, name)).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS) {
      await rm(join(home, name), { recursive: true, force: true });
    }
  }
}

/**
 * Makes a tree readable for the user that runs are made by, whatever the umask was and whatever a package says of
 * itself: no bit but reading and running is left. Links that lead out, and what is neither file nor folder, go.
 */
export async function openTree(folder: string): Promise<void> {
  const root = await realpath(folder);
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await chmod(next, 0o755);
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
      else if (!entry.isSymbolicLink() || !(await staysBelow(path, root))) await rm(path);
    }
  }
}

async function staysBelow(link: string, root: string): Promise<boolean> {
  return isBelow(await realpath(link).catch(() => ""), root);
}

/** Puts a finished environment in its place in one step. The same that is there already stays. */
export async function place(source: string, target: string): Promise<void> {
  try {
    await rename(source, target);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCodeOf(error) ?? "")) throw error;
  }
}

/** The same for one that replaces what is there; runs that use the old one keep what they have opened. */
export async function replace(source: string, target: string, stage: string): Promise<void> {
  await rename(target, join(stage, "old")).catch((error: unknown) => {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  });
  await place(source, target);
}
