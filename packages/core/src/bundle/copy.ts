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

/** Bytes that are copied before others get a turn. */
const WORK_BETWEEN_RESTS = 4 * 1024 * 1024;
/** What opening and making a file costs, in bytes that could be copied meanwhile. */
const FILE_COST = 32 * 1024;

/**
 * Writes a bundle to an empty folder, read-only, and gives the tree hash of the bytes that were written: whatever
 * happens to the original, the copy is what the hash says.
 */
export async function copyBundle(bundle: Bundle, target: string, signal?: AbortSignal): Promise<Digest> {
  const pace = new Pace(WORK_BETWEEN_RESTS, signal);
  rejectFilled(target);
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

/** Writes one file below a folder as copies are written: never over another, readable to all, changeable by none. */
export function writeCopy(
  target: string,
  { path, executable }: Pick<BundleFile, "path" | "executable">,
  bytes: Uint8Array,
  made: Set<string>,
): void {
  writeNew(target, path, bytes, executable ? 0o555 : 0o444, made);
}

/**
 * Writes a file below a folder with its folders: never over what is there, and through no link.
 *
 * Contract: `made` holds the folder itself, and the folders that earlier calls have made.
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

/** Makes a file as `writeNew` does, under the same contract, for those who write it in parts and close it. */
export function openNew(target: string, path: RelativePath, made: Set<string>): number {
  const absolute = join(target, path);
  makeFolder(dirname(absolute), made);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return openSync(absolute, flags, 0o600);
}

/** The mode is set after the making, because the umask of the process would take from it. */
function makeFolder(folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  makeFolder(dirname(folder), made);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  made.add(folder);
}

export function rejectFilled(target: string): void {
  if (readdirSync(target).length > 0) throw new SkillError("USAGE", `The folder ${target} is not empty.`);
}

/** One byte more than announced is asked for, which shows a file that has grown. */
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
  throw new SkillError("IO_FAILED", `${file.path} changed while the skill was being copied.`, {
    hint: "Run it again when nothing writes to the skill's folder.",
    details: { path: file.path },
  });
}

function digestOf({ path, size, executable }: BundleFile, bytes: Uint8Array): FileDigest {
  return { path, size, executable, digest: hashSkillFile(bytes) };
}
