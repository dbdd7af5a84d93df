import { constants, readSync } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { errorCodeOf, SAFE_OPEN } from "../bundle/contain.ts";
import { type ArchiveBytes, changedArchive } from "./archive-bytes.ts";

/** An archive in an open file, which renames do not affect. */
export interface OpenedArchive extends ArchiveBytes {
  close(): Promise<void>;
}

export interface OpenArchiveOptions {
  readonly limits?: Pick<Limits, "archiveBytes">;
  /** The name in messages, which does not disclose the path to the uploader. */
  readonly label?: string;
}

/** Opens an archive without reading. Rejects links, special files and files over the limit. */
export async function openArchiveFile(
  path: string,
  { limits = defaultLimits, label = "The archive" }: OpenArchiveOptions = {},
): Promise<OpenedArchive> {
  const handle = await openWithoutFollowing(path, label);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new SkillError("USAGE", `${label} is not a regular file.`);
    if (stats.size > limits.archiveBytes) throw tooLarge(label, limits.archiveBytes);
    return {
      size: stats.size,
      read: async (start, into) => readFully(handle.fd, start, into, label),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error instanceof SkillError ? error : unreadable(label, error);
  }
}

async function openWithoutFollowing(path: string, label: string): Promise<FileHandle> {
  try {
    // Windows has no such flag.
    if (constants.O_NOFOLLOW === undefined && (await lstat(path)).isSymbolicLink()) throw isLink(label);
    return await open(path, SAFE_OPEN);
  } catch (error) {
    throw error instanceof SkillError ? error : explainOpenFailure(error, label);
  }
}

function explainOpenFailure(error: unknown, label: string): SkillError {
  switch (errorCodeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new SkillError("PATH_NOT_FOUND", `${label} does not exist.`, { cause: error });
    case "ELOOP":
    case "EMLINK":
      return isLink(label);
    case "ENXIO":
    case "EISDIR":
      return new SkillError("USAGE", `${label} is not a regular file.`, { cause: error });
    default:
      return unreadable(label, error);
  }
}

/**
 * Synchronous, because the thread pool costs more than reading recently written bytes; the caller yields. A truncated
 * file gives fewer bytes than requested.
 */
function readFully(fd: number, start: number, into: Uint8Array, label: string): void {
  for (let at = 0; at < into.length; ) {
    const count = tryRead(fd, into, at, start + at, label);
    if (count === 0) throw changedArchive();
    at += count;
  }
}

function tryRead(fd: number, into: Uint8Array, at: number, position: number, label: string): number {
  try {
    return readSync(fd, into, at, into.length - at, position);
  } catch (error) {
    throw unreadable(label, error);
  }
}

function tooLarge(label: string, max: number): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `${label} is larger than ${max} bytes (limit archiveBytes).`, {
    details: { limit: "archiveBytes", max },
  });
}

function isLink(label: string): SkillError {
  return new SkillError("USAGE", `${label} is a link.`, { hint: "Pass the target of the link." });
}

function unreadable(label: string, cause: unknown): SkillError {
  const code = errorCodeOf(cause) || "unknown failure";
  return new SkillError("IO_FAILED", `${label} cannot be read (${code}).`, { cause });
}
