import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { FileDigest } from "@skillhold/skill";
import type { Bundle, BundleFile } from "./bundle.ts";
import { openInside, type RelativePath } from "./contain.ts";
import { Pace } from "./pace.ts";
import { combineDigests, hashSkillFile } from "./tree-hash.ts";

/** The number of bytes to copy before yielding to other work. */
const WORK_BETWEEN_RESTS = 4 * 1024 * 1024;
/** The cost of opening and creating a file, in equivalent bytes. */
const FILE_COST = 32 * 1024;

/**
 * Copies a bundle to an empty folder, read-only, and returns the tree hash of the written bytes. The hash describes
 * the copy even if the original changes.
 */
export async function copyBundle(bundle: Bundle, target: string, signal?: AbortSignal): Promise<Digest> {
  const pace = new Pace(WORK_BETWEEN_RESTS, signal);
  rejectNonEmpty(target);
  const made = new Set([target]);
  const digests: FileDigest[] = [];
  for (const file of bundle.files) {
    const bytes = readWhole(file, bundle.allowHardLinks);
    writeCopy(target, file, bytes, made);
    digests.push(digestOf(file, bytes));
    if (pace.isDue(bytes.length + FILE_COST)) await pace.rest();
  }
  return combineDigests(digests);
}

/** Writes one read-only file of a copy. Never overwrites. */
export function writeCopy(
  target: string,
  { path, executable }: Pick<BundleFile, "path" | "executable">,
  bytes: Uint8Array,
  made: Set<string>,
): void {
  writeNew(target, path, bytes, executable ? 0o555 : 0o444, made);
}

/**
 * Writes a file and its parent folders. Never overwrites and never follows a link.
 *
 * Contract: `made` contains the target folder and the folders that earlier calls created.
 */
export function writeNew(
  target: string,
  path: RelativePath,
  bytes: Uint8Array,
  mode: number,
  made: Set<string>,
): void {
  const fd = openNew(target, path, made);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fchmodSync(fd, mode);
  } finally {
    closeSync(fd);
  }
}

function openNew(target: string, path: RelativePath, made: Set<string>): number {
  const absolute = join(target, path);
  makeFolder(dirname(absolute), made);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return openSync(absolute, flags, 0o600);
}

/** The mode is set after creation, because the umask would reduce it. */
function makeFolder(folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  makeFolder(dirname(folder), made);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  made.add(folder);
}

export function rejectNonEmpty(target: string): void {
  if (readdirSync(target).length > 0) throw new SkillError("USAGE", `The folder ${target} is not empty.`);
}

/** Requests one byte more than expected, which detects a file that has grown. */
function readWhole(file: BundleFile, allowHardLinks: boolean): Uint8Array {
  const { fd } = openInside(file.base, file.path, { allowHardLinks });
  try {
    const bytes = Buffer.allocUnsafe(file.size + 1);
    let length = 0;
    for (;;) {
      const count = readSync(fd, bytes, length, bytes.length - length, null);
      length += count;
      if (count === 0 || length > file.size) break;
    }
    if (length === file.size) return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
  throw new SkillError("IO_FAILED", `${file.path} changed during the copy.`, {
    hint: "Retry when no program writes to the skill's folder.",
    details: { path: file.path },
  });
}

function digestOf({ path, size, executable }: BundleFile, bytes: Uint8Array): FileDigest {
  return { path, size, executable, digest: hashSkillFile(bytes) };
}
