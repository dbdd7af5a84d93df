import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { findPathProblem } from "@skillhold/skill";
import { isOpenedAt } from "./opened-path.ts";

declare const relativePath: unique symbol;

/** A path accepted by `normalizeRelative`: relative, with plain segments joined by `/`. */
export type RelativePath = string & { readonly [relativePath]: true };

export type PathLimits = Pick<Limits, "pathBytes" | "pathDepth">;

export interface OpenOptions {
  /** Accept files with several hard links, such as those of a package store. */
  readonly allowHardLinks?: boolean;
}

/** A regular file at the location that its path names. The caller closes `fd`. */
export interface OpenedFile {
  readonly fd: number;
  readonly stats: Stats;
}

/** Without these flags, opening a FIFO blocks and opening a link follows it. */
export const SAFE_OPEN = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Rejects every path that could name anything but a file below its folder. Does not access the disk. */
export function normalizeRelative(path: string, limits: PathLimits = defaultLimits): RelativePath {
  // A string of n UTF-16 units has at least n bytes, so a long path is rejected before any scan.
  if (path.length > limits.pathBytes || Buffer.byteLength(path) > limits.pathBytes) {
    throw refuse("The path", `is longer than ${limits.pathBytes} bytes (pathBytes)`, path.slice(0, 64));
  }
  const problem = findPathProblem(path);
  if (problem !== undefined) throw refuse(`The path ${JSON.stringify(path)}`, problem, path);
  if (path.split("/").length > limits.pathDepth) {
    throw refuse(`The path ${path}`, `has more than ${limits.pathDepth} segments (pathDepth)`, path);
  }
  // Every rule of the type has been checked above.
  return path as RelativePath;
}

/**
 * Opens a file below a folder, then checks the opened file, because a rename could win a race against an earlier
 * check. Any link in the path is rejected, because a bundle has no links.
 *
 * Contract: `root` is a real path (`realpath` returned it).
 */
export function openInside(root: string, path: RelativePath, options: OpenOptions = {}): OpenedFile {
  const absolute = join(root, path);
  const fd = openWithoutFollowing(absolute, path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw refuse(path, "is not a regular file", path);
    if (stats.nlink > 1 && options.allowHardLinks !== true) {
      throw refuse(path, "has other hard links, which may be outside the skill", path);
    }
    if (!isOpenedAt(fd, stats, absolute)) throw refuse(path, "is reached through a link or was moved", path);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openWithoutFollowing(absolute: string, path: string): number {
  try {
    // Windows has no such flag, so the link is checked first and `isOpenedAt` detects a swap.
    if (constants.O_NOFOLLOW === undefined && lstatSync(absolute).isSymbolicLink()) {
      throw refuse(path, "is a link", path);
    }
    return openSync(absolute, SAFE_OPEN);
  } catch (error) {
    throw error instanceof SkillError ? error : explainOpenFailure(error, path);
  }
}

function explainOpenFailure(error: unknown, path: string): SkillError {
  switch (errorCodeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new SkillError("PATH_NOT_FOUND", `The file ${path} does not exist.`, {
        details: { path },
        cause: error,
      });
    case "ELOOP":
    case "EMLINK":
      return refuse(path, "is a link", path);
    case "ENXIO":
    case "EISDIR":
      return refuse(path, "is not a regular file", path);
    default:
      return new SkillError("IO_FAILED", `${path} cannot be opened.`, { details: { path }, cause: error });
  }
}

/** The system error code (`ENOENT`), or an empty string. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function refuse(subject: string, problem: string, path: string): SkillError {
  return new SkillError("RESOURCE_OUTSIDE_SKILL", `${subject} ${problem}.`, { details: { path, problem } });
}
