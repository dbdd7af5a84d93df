import { createHash, hash } from "node:crypto";
import { closeSync, readSync, type Stats } from "node:fs";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { type FileDigest, treeHashInput } from "@skillhold/skill";
import type { Bundle, BundleFile } from "./bundle.ts";
import { type OpenedFile, type OpenOptions, openInside } from "./contain.ts";
import { hasExecuteBit } from "./file-tree.ts";
import { Pace } from "./pace.ts";

export interface HashedTree {
  readonly hash: Digest;
  readonly files: readonly FileDigest[];
}

export interface HashOptions {
  readonly signal?: AbortSignal;
}

const CHUNK_BYTES = 256 * 1024;
/** The fixed cost of a file, in equivalent bytes. */
const FILE_COST = 16 * 1024;
/** In bytes: at most 64 files or four chunks before yielding. */
const WORK_BETWEEN_RESTS = 1024 * 1024;

/**
 * Hashes every file of a bundle and the tree. Throws if a file is no longer the packed one (a link, another size or
 * mode), so that a hash never mixes two states.
 *
 * Uses the memory of one chunk.
 */
export async function treeHash(bundle: Bundle, options: HashOptions = {}): Promise<HashedTree> {
  const context = openContext(bundle.files, bundle, options);
  const files: FileDigest[] = [];
  for (const file of bundle.files) {
    const digest = digestFile(file, context);
    files.push(digest instanceof Promise ? await digest : digest);
    if (context.pace.isDue(FILE_COST)) await context.pace.rest();
  }
  return { hash: combineDigests(files), files };
}

/** Hashes one file of a bundle with the same checks. */
export async function hashFile(
  file: BundleFile,
  options: HashOptions & OpenOptions = {},
): Promise<FileDigest> {
  return await digestFile(file, openContext([file], options, options));
}

/** The hash of the bytes of SKILL.md. */
export function hashSkillFile(bytes: Uint8Array): Digest {
  return asDigest(hash("sha256", bytes, "hex"));
}

/** The tree hash of files whose digests are known, in any order. */
export function combineDigests(files: readonly FileDigest[]): Digest {
  return asDigest(hash("sha256", treeHashInput(files), "hex"));
}

interface DigestContext {
  /** Filled and hashed synchronously, so one buffer serves all files. */
  readonly chunk: Buffer;
  readonly pace: Pace;
  readonly open: OpenOptions;
}

function openContext(
  files: readonly BundleFile[],
  open: OpenOptions,
  { signal }: HashOptions,
): DigestContext {
  const pace = new Pace(WORK_BETWEEN_RESTS, signal);
  pace.stopIfAborted();
  const largest = files.reduce((size, file) => Math.max(size, file.size), 0);
  return { chunk: Buffer.allocUnsafeSlow(Math.min(largest + 1, CHUNK_BYTES)), pace, open };
}

/** Returns a promise only for large files, because a promise per small file costs too much. */
function digestFile(file: BundleFile, context: DigestContext): FileDigest | Promise<FileDigest> {
  const opened = openInside(file.base, file.path, context.open);
  if (file.size >= context.chunk.length) return digestLarge(opened, file, context);
  try {
    return digestSmall(opened, file, context);
  } finally {
    closeSync(opened.fd);
  }
}

/** Usually one read, which requests one byte more than expected to detect a grown file. */
function digestSmall(
  { fd, stats }: OpenedFile,
  file: BundleFile,
  { chunk, pace }: DigestContext,
): FileDigest {
  rejectChanged(file, stats);
  let length = 0;
  for (;;) {
    const count = readSync(fd, chunk, length, file.size + 1 - length, null);
    length += count;
    if (count === 0 || length >= file.size) break;
  }
  if (length !== file.size) throw changed(file);
  pace.isDue(length);
  return asFileDigest(file, hash("sha256", chunk.subarray(0, length), "hex"));
}

async function digestLarge(
  opened: OpenedFile,
  file: BundleFile,
  context: DigestContext,
): Promise<FileDigest> {
  const { chunk, pace } = context;
  try {
    rejectChanged(file, opened.stats);
    const content = createHash("sha256");
    let length = 0;
    for (;;) {
      const count = readSync(opened.fd, chunk, 0, chunk.length, null);
      if (count === 0) break;
      length += count;
      if (length > file.size) throw changed(file);
      content.update(chunk.subarray(0, count));
      if (pace.isDue(count)) await pace.rest();
    }
    if (length !== file.size) throw changed(file);
    return asFileDigest(file, content.digest("hex"));
  } finally {
    closeSync(opened.fd);
  }
}

function rejectChanged(file: BundleFile, stats: Stats): void {
  if (stats.size !== file.size || hasExecuteBit(stats) !== file.executable) throw changed(file);
}

function changed({ path }: BundleFile): SkillError {
  return new SkillError("IO_FAILED", `${path} changed during the read.`, {
    hint: "Retry when no program writes to the skill's folder.",
    details: { path },
  });
}

function asFileDigest({ path, size, executable }: BundleFile, hex: string): FileDigest {
  return { path, size, digest: asDigest(hex), executable };
}

function asDigest(hex: string): Digest {
  // The hash functions return 64 lowercase hexadecimal digits.
  return `sha256:${hex}` as Digest;
}
