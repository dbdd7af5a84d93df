import { closeSync, readSync, realpathSync } from "node:fs";
import { basename, sep } from "node:path";
import {
  type Bundle,
  type BundleFile,
  hashSkillFile,
  type MemoryTree,
  openInside,
  Pace,
  pack,
  stampOf,
} from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { StagedFile } from "../record/staged-skill.ts";

export interface ReadBundleOptions {
  /** The root that contains the folder: `_shared` helpers must be below it. */
  readonly within?: string | undefined;
  /** The folders that may be published from; by default any. */
  readonly roots?: readonly string[] | undefined;
  readonly allowHardLinks?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The tree in memory that contains the folder; by default it is on the disk. */
  readonly tree?: MemoryTree | undefined;
}

/** A bundle with all its bytes at one moment. A folder that changes while it is read is rejected. */
export interface ReadBundle {
  readonly bundle: Bundle;
  readonly files: readonly StagedFile[];
}

export async function readBundle(
  folder: string,
  options: ReadBundleOptions,
  limits: Limits,
): Promise<ReadBundle> {
  if (options.tree !== undefined) return await readMemory(folder, options.tree, options, limits);
  // The path is resolved once, and only this real folder is read from here on.
  const place = findPlace(folder, options.roots);
  const settled = { ...options, within: options.within ?? place.root };
  const bundle = await packPlace(place.folder, settled, limits);
  rejectTooLarge(bundle, limits);
  const files = await readFiles(bundle, options.signal);
  rejectChanged(bundle, await packPlace(place.folder, settled, limits));
  return { bundle, files };
}

/** The bytes are in memory, so they are of one moment and are not copied. */
async function readMemory(
  folder: string,
  tree: MemoryTree,
  { within = tree.root, signal }: ReadBundleOptions,
  limits: Limits,
): Promise<ReadBundle> {
  const called = signal === undefined ? {} : { signal };
  const bundle = await pack(folder, { purpose: "publish", limits, tree, within, ...called });
  rejectTooLarge(bundle, limits);
  return { bundle, files: bundle.files.map((file) => stageFrom(tree, file)) };
}

function stageFrom(tree: MemoryTree, { path, size, executable, origin }: BundleFile): StagedFile {
  const found = tree.file(origin);
  if (found === undefined) throw new Error(`${path} is not in the tree.`);
  return { path, size, executable, digest: found.digest, content: found.bytes };
}

interface Place {
  readonly folder: string;
  /** The root that contains the folder. */
  readonly root: string | undefined;
}

function findPlace(folder: string, roots: readonly string[] | undefined): Place {
  const real = realPath(folder);
  if (real === undefined)
    throw new SkillError("PATH_NOT_FOUND", `The folder ${folder} does not exist.`, {
      details: { path: folder },
    });
  if (roots === undefined) return { folder: real, root: undefined };
  const root = roots
    .flatMap((each) => realPath(each) ?? [])
    .find((each) => real === each || real.startsWith(each.endsWith(sep) ? each : `${each}${sep}`));
  if (root !== undefined) return { folder: real, root };
  throw new SkillError("POLICY_DENIED", `${folder} is outside the folders that may be published.`, {
    hint: "Move the skill to the workspace and publish it from there.",
    details: { path: folder },
  });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // The caller reports a missing or inaccessible path.
    return undefined;
  }
}

async function packPlace(
  folder: string,
  { within, allowHardLinks = false, signal }: ReadBundleOptions,
  limits: Limits,
): Promise<Bundle> {
  const called = signal === undefined ? {} : { signal };
  const bundle = await pack(folder, { purpose: "publish", limits, allowHardLinks, within, ...called });
  if (bundle.root !== folder) throw changed(basename(folder));
  return bundle;
}

function rejectTooLarge({ bytes }: Bundle, { archiveBytes }: Limits): void {
  if (bytes <= archiveBytes) return;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The skill has ${bytes} bytes. The limit archiveBytes allows ${archiveBytes}.`,
    { details: { limit: "archiveBytes", max: archiveBytes, bytes } },
  );
}

/** The bytes read before yielding to other work, and the fixed cost of a file. */
const WORK_BETWEEN_RESTS = 4 * 1024 * 1024;
const FILE_COST = 32 * 1024;

async function readFiles(bundle: Bundle, signal: AbortSignal | undefined): Promise<readonly StagedFile[]> {
  const pace = new Pace(WORK_BETWEEN_RESTS, signal);
  const files: StagedFile[] = [];
  for (const file of bundle.files) {
    const { path, size, executable } = file;
    const content = readWhole(file, bundle.allowHardLinks);
    files.push({ path, size, executable, digest: hashSkillFile(content), content });
    if (pace.isDue(size + FILE_COST)) await pace.rest();
  }
  return files;
}

/** Reads one byte more than expected to detect a file that grew; the stamp detects a replaced file. */
function readWhole(file: BundleFile, allowHardLinks: boolean): Uint8Array {
  const { fd, stats } = openInside(file.base, file.path, { allowHardLinks });
  try {
    if (stampOf(stats) !== file.stamp) throw changed(file.path);
    const bytes = Buffer.allocUnsafe(file.size + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length <= file.size; length += count)
      count = readSync(fd, bytes, length, bytes.length - length, null);
    if (length === file.size) return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
  throw changed(file.path);
}

/** The files are of one moment only if no stamp changed while they were read. */
function rejectChanged(before: Bundle, after: Bundle): void {
  const stamps = new Map<string, string>(after.files.map(({ path, stamp }) => [path, stamp]));
  const differing = before.files.find(({ path, stamp }) => stamps.get(path) !== stamp);
  if (differing !== undefined || before.files.length !== after.files.length)
    throw changed(differing?.path ?? "The folder");
}

function changed(path: string): SkillError {
  return new SkillError("IO_FAILED", `${path} changed while the skill was being read.`, {
    hint: "Publish again when no program writes to the folder.",
    details: { path },
  });
}
