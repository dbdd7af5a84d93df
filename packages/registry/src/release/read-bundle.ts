import { closeSync, readSync, realpathSync } from "node:fs";
import { basename, sep } from "node:path";
import {
  type Bundle,
  type BundleFile,
  hashSkillFile,
  openInside,
  Pace,
  pack,
  stampOf,
} from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { StagedFile } from "../record/staged-skill.ts";

export interface ReadBundleOptions {
  /** The root of what the folder belongs to: `_shared` helpers are taken from below it only. */
  readonly within?: string | undefined;
  /** The folders that may be published from; without them, any. */
  readonly roots?: readonly string[] | undefined;
  readonly allowHardLinks?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A bundle with all its bytes, of one moment: a folder that changes meanwhile is refused. */
export interface ReadBundle {
  readonly bundle: Bundle;
  readonly files: readonly StagedFile[];
}

export async function readBundle(
  folder: string,
  options: ReadBundleOptions,
  limits: Limits,
): Promise<ReadBundle> {
  // What the path leads to is looked at once; from here on it is this real folder or nothing.
  const place = findPlace(folder, options.roots);
  const settled = { ...options, within: options.within ?? place.root };
  const bundle = await packPlace(place.folder, settled, limits);
  rejectTooLarge(bundle, limits);
  const files = await readFiles(bundle, options.signal);
  rejectChanged(bundle, await packPlace(place.folder, settled, limits));
  return { bundle, files };
}

interface Place {
  readonly folder: string;
  /** The one of the roots that it lies in. */
  readonly root: string | undefined;
}

function findPlace(folder: string, roots: readonly string[] | undefined): Place {
  const real = realPath(folder);
  if (real === undefined)
    throw new SkillError("PATH_NOT_FOUND", `There is no folder ${folder}.`, { details: { path: folder } });
  if (roots === undefined) return { folder: real, root: undefined };
  const root = roots
    .flatMap((each) => realPath(each) ?? [])
    .find((each) => real === each || real.startsWith(each.endsWith(sep) ? each : `${each}${sep}`));
  if (root !== undefined) return { folder: real, root };
  throw new SkillError("POLICY_DENIED", `${folder} lies outside the folders that may be published from.`, {
    hint: "Put the skill into the workspace and publish it from there.",
    details: { path: folder },
  });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there, or not to be reached: the caller says so.
    return undefined;
  }
}

async function packPlace(
  folder: string,
  { within, allowHardLinks = false, signal }: ReadBundleOptions,
  limits: Limits,
): Promise<Bundle> {
  const called = signal === undefined ? {} : { signal };
  const bundle = await pack(folder, { limits, allowHardLinks, within, ...called });
  if (bundle.root !== folder) throw changed(basename(folder));
  return bundle;
}

function rejectTooLarge({ bytes }: Bundle, { archiveBytes }: Limits): void {
  if (bytes <= archiveBytes) return;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The skill has ${bytes} bytes; at most ${archiveBytes} can be published (limit archiveBytes).`,
    { details: { limit: "archiveBytes", max: archiveBytes, bytes } },
  );
}

/** Bytes that are read before others get a turn, and what a file costs beside its bytes. */
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

/** One byte more than announced is asked for, which shows a file that has grown; the stamp shows one that was swapped. */
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

/** What was read is of one moment only when all stamps are still what they were before. */
function rejectChanged(before: Bundle, after: Bundle): void {
  const stamps = new Map<string, string>(after.files.map(({ path, stamp }) => [path, stamp]));
  const differing = before.files.find(({ path, stamp }) => stamps.get(path) !== stamp);
  if (differing !== undefined || before.files.length !== after.files.length)
    throw changed(differing?.path ?? "The folder");
}

function changed(path: string): SkillError {
  return new SkillError("IO_FAILED", `${path} changed while the skill was being read.`, {
    hint: "Publish it again when nothing writes to the skill's folder.",
    details: { path },
  });
}
