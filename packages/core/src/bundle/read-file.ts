import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { errorCodeOf, type OpenOptions, SAFE_OPEN } from "./contain.ts";

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly mtimeMs: number;
  /** The last change of content or attributes, which programs cannot set back. */
  readonly ctimeMs: number;
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
}

export interface FileProblem {
  readonly reason: "missing" | "not-a-file" | "too-large" | "link" | "unreadable";
  readonly message: string;
}

export interface ReadOptions extends OpenOptions {
  /** A buffer to reuse for small files. The bytes are valid until its next use. */
  readonly scratch?: Buffer | undefined;
}

export type FileRead = FileBytes | { readonly problem: FileProblem };

/**
 * Reads a small file. A missing file, a folder, a FIFO, a device, a link or a huge file is a result, not an
 * exception. Holds at most `maxBytes + 1` bytes.
 *
 * Synchronous, because scanning reads thousands of small files, and the thread pool costs several times the read.
 *
 * Rejects links, because bundles cannot contain links and discovery must show the packed content.
 */
export function readBounded(path: string, maxBytes: number, options: ReadOptions = {}): FileRead {
  let fd: number;
  try {
    // Windows has no flag for links.
    if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink())
      return problem("link", "The file is a link.");
    fd = openSync(path, SAFE_OPEN);
  } catch (error) {
    return explainOpenFailure(error);
  }
  try {
    return readOpened(fd, maxBytes, options);
  } catch (error) {
    return problem("unreadable", `The file cannot be read (${errorCodeOf(error) || "unknown failure"}).`);
  } finally {
    closeSync(fd);
  }
}

function readOpened(fd: number, maxBytes: number, options: ReadOptions): FileRead {
  const stats = fstatSync(fd);
  if (!stats.isFile())
    return problem("not-a-file", `The path is ${stats.isDirectory() ? "a folder" : "not a regular file"}.`);
  if (stats.nlink > 1 && options.allowHardLinks !== true) {
    return problem("link", "The file has other hard links, which may be outside the skill.");
  }
  if (stats.size > maxBytes) return tooLarge(maxBytes);
  // One byte more than expected, which detects a growing file.
  let buffer = takeBuffer(stats.size + 1, options.scratch);
  let length = 0;
  for (;;) {
    const wanted = buffer.length - length;
    const count = readSync(fd, buffer, length, wanted, null);
    length += count;
    if (length > maxBytes) return tooLarge(maxBytes);
    // A short read of a regular file means its end.
    if (count < wanted) break;
    if (length === buffer.length) buffer = Buffer.concat([buffer], maxBytes + 1);
  }
  const { mtimeMs, ctimeMs, dev, ino, mode } = stats;
  return { bytes: buffer.subarray(0, length), size: length, mtimeMs, ctimeMs, dev, ino, mode };
}

function takeBuffer(size: number, scratch: Buffer | undefined): Buffer {
  return scratch !== undefined && size <= scratch.length
    ? scratch.subarray(0, size)
    : Buffer.allocUnsafe(size);
}

function explainOpenFailure(error: unknown): FileRead {
  const code = errorCodeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return problem("missing", "The file does not exist.");
    case "ELOOP":
    case "EMLINK":
      return problem("link", "The file is a link.");
    case "ENXIO":
    case "EISDIR":
      return problem("not-a-file", "The path is not a regular file.");
    default:
      return problem("unreadable", `The file cannot be opened (${code || "unknown failure"}).`);
  }
}

function tooLarge(maxBytes: number): FileRead {
  return problem("too-large", `The file is larger than ${maxBytes} bytes.`);
}

function problem(reason: FileProblem["reason"], message: string): FileRead {
  return { problem: { reason, message } };
}
