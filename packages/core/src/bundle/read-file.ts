import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { errorCodeOf, type OpenOptions, SAFE_OPEN } from "./contain.ts";

export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly mtimeMs: number;
  /** The last change of content or attributes, which no program can set back. */
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
  /** Read into this where the file fits: the bytes are then good only until it is used again. */
  readonly scratch?: Buffer | undefined;
}

export type FileRead = FileBytes | { readonly problem: FileProblem };

/**
 * Reads a small file whatever lies there: a missing one, a folder, a FIFO, a device, a link or a giant is an
 * answer, not an exception. Never holds more than `maxBytes + 1` bytes.
 *
 * Synchronous, because it is made for scanning thousands of small files, where a round trip to the thread
 * pool costs several times the read itself.
 *
 * A link is refused wherever it leads: a bundle holds no links, and what discovery shows must be what is packed.
 */
export function readBounded(path: string, maxBytes: number, options: ReadOptions = {}): FileRead {
  let fd: number;
  try {
    // Windows has no flag for it.
    if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink())
      return problem("link", "It is a link.");
    fd = openSync(path, SAFE_OPEN);
  } catch (error) {
    return explainOpenFailure(error);
  }
  try {
    return readOpened(fd, maxBytes, options);
  } catch (error) {
    return problem("unreadable", `It cannot be read (${errorCodeOf(error) || "unknown failure"}).`);
  } finally {
    closeSync(fd);
  }
}

function readOpened(fd: number, maxBytes: number, options: ReadOptions): FileRead {
  const stats = fstatSync(fd);
  if (!stats.isFile())
    return problem("not-a-file", `It is ${stats.isDirectory() ? "a folder" : "not a regular file"}.`);
  if (stats.nlink > 1 && options.allowHardLinks !== true) {
    return problem("link", "It has other names (hard links), which may lie outside the skill.");
  }
  if (stats.size > maxBytes) return tooLarge(maxBytes);
  // One byte more than announced, so that a file that grows is noticed by the read that ends the loop.
  let buffer = takeBuffer(stats.size + 1, options.scratch);
  let length = 0;
  for (;;) {
    const wanted = buffer.length - length;
    const count = readSync(fd, buffer, length, wanted, null);
    length += count;
    if (length > maxBytes) return tooLarge(maxBytes);
    // A regular file gives less than it is asked for only at its end.
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
      return problem("missing", "There is no such file.");
    case "ELOOP":
    case "EMLINK":
      return problem("link", "It is a link.");
    case "ENXIO":
    case "EISDIR":
      return problem("not-a-file", "It is not a regular file.");
    default:
      return problem("unreadable", `It cannot be opened (${code || "unknown failure"}).`);
  }
}

function tooLarge(maxBytes: number): FileRead {
  return problem("too-large", `It is larger than ${maxBytes} bytes.`);
}

function problem(reason: FileProblem["reason"], message: string): FileRead {
  return { problem: { reason, message } };
}
