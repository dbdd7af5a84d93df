import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { errorCodeOf, SAFE_OPEN } from "../bundle/contain.ts";

export interface PrivateFileOptions {
  /** What the file is, for the message: `The key file`. */
  readonly title: string;
  /** Whether others may read what they may not change. */
  readonly mayOthersRead?: boolean;
}

/**
 * Opens a private file of the user. A new file gets mode 0600, and a new folder 0700. An existing file is rejected if
 * it is a link, is not a regular file, belongs to a user other than this one or root, or has a mode that gives others
 * access. The check uses the open handle, not the path. Windows has no such owners and modes; its profile folders are
 * assumed to be private.
 */
export async function openPrivateFile(
  path: string,
  flags: number,
  options: PrivateFileOptions,
): Promise<FileHandle> {
  const handle = await openWithoutFollowing(path, flags, options);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refuse(path, options, "is not a regular file");
    // The owner can change the file and its mode at any time.
    const user = process.geteuid?.();
    if (user !== undefined && stats.uid !== user && stats.uid !== 0) {
      throw refuse(path, options, "belongs to another user");
    }
    const shared = stats.mode & (options.mayOthersRead === true ? 0o022 : 0o077);
    if (shared !== 0 && process.platform !== "win32") {
      throw refuse(path, options, "is open to others", `chmod 600 ${quote(path)}`);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A name lasts through a loss of power once its folder is on disk. Windows cannot do this, and need not. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function openWithoutFollowing(
  path: string,
  flags: number,
  options: PrivateFileOptions,
): Promise<FileHandle> {
  try {
    if ((flags & constants.O_CREAT) !== 0) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Windows has no flag that refuses a link.
    if (constants.O_NOFOLLOW === undefined && (await isLink(path))) throw refuse(path, options, "is a link");
    return await open(path, SAFE_OPEN | flags, 0o600);
  } catch (error) {
    if (error instanceof SkillError) throw error;
    if (errorCodeOf(error) === "ELOOP") throw refuse(path, options, "is a link");
    throw new SkillError("IO_FAILED", `${options.title} ${path} cannot be opened.`, {
      details: { path },
      cause: error,
    });
  }
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

function refuse(path: string, { title }: PrivateFileOptions, problem: string, command?: string): SkillError {
  const hint =
    command === undefined ? "Put a file of your own in its place, or name another." : `Run \`${command}\`.`;
  return new SkillError("CONFIG_INVALID", `${title} ${path} ${problem}.`, {
    hint,
    details: { path, problem },
  });
}

/** A path as one word of a shell. */
function quote(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
