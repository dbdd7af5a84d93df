import { createHash, randomBytes } from "node:crypto";
import { chmod, copyFile, lstat, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isOpenToAll } from "../backend/runtime-copy.ts";
import { stageRoot } from "../backend/stage.ts";

/**
 * A folder of ours where the program in the sandbox can read it. A run that root starts is another user's, to whom
 * root's folders are closed: for that a copy is kept, one for each state of the folder.
 */
export async function openFolder(folder: string, isRoot = process.getuid?.() === 0): Promise<string> {
  const real = await realpath(folder);
  return isRoot && !(await isOpenToAll(real)) ? keepFolder(real) : real;
}

async function keepFolder(folder: string): Promise<string> {
  const files = await listFiles(folder);
  const hash = createHash("sha256").update(folder);
  for (const { path, size, mtimeMs } of files) hash.update(`\0${path}\0${size}\0${mtimeMs}`);
  // Nobody else can write below the root of stages, so that what lies there is what was put there.
  const copy = join(await stageRoot(), "runtime", hash.digest("hex").slice(0, 32));
  if ((await lstat(copy).catch(() => undefined))?.isDirectory() === true) return copy;
  const draft = `${copy}.${randomBytes(8).toString("hex")}`;
  try {
    for (const { path } of files) await copyOpenly(join(folder, path), join(draft, path));
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster.
    if ((await lstat(copy).catch(() => undefined))?.isDirectory() !== true) throw error;
  }
  return copy;
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

async function listFiles(folder: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    const stats = await stat(join(folder, path));
    if (stats.isFile()) found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  return found;
}

/** The umask of the process must not close what is made. */
async function copyOpenly(source: string, target: string): Promise<void> {
  const first = await mkdir(dirname(target), { recursive: true });
  for (let folder = dirname(target); first !== undefined; folder = dirname(folder)) {
    await chmod(folder, 0o755);
    if (folder === first) break;
  }
  await copyFile(source, target);
  await chmod(target, 0o644);
}
