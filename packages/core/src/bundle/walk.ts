import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import {
  comparePaths,
  fileRole,
  findPathProblem,
  foldName,
  type IgnoreRules,
  isSkillFile,
} from "@skillhold/skill";
import type { BundleFile, BundleMeter, Omission, OmissionReason } from "./bundle.ts";
import { errorCodeOf, normalizeRelative } from "./contain.ts";
import type { FileTree, TreeEntry } from "./file-tree.ts";
import type { Pace } from "./pace.ts";
import type { PackTrace } from "./pack-trace.ts";

export interface WalkContext {
  readonly tree: FileTree;
  /** The real folder of relative paths. */
  readonly base: string;
  readonly rules: IgnoreRules;
  readonly meter: BundleMeter;
  readonly pace: Pace;
  readonly allowHardLinks: boolean;
  /** Receives every visited path. */
  readonly trace?: PackTrace | undefined;
}

export interface Walked {
  readonly files: readonly BundleFile[];
  readonly omitted: readonly Omission[];
}

/** Lists packable and omitted entries below `start`, a folder relative to the base (empty: the base). */
export async function walk(start: string, context: WalkContext): Promise<Walked> {
  const files: BundleFile[] = [];
  const omitted: Omission[] = [];
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const taken = new Map<string, string>();
    const entries = listFolder(folder, context, omitted);
    if (isNestedSkill(folder, entries)) {
      omitted.push(omit(folder, "nested-skill", "The folder is a skill of its own."));
      if (context.pace.isDue()) await context.pace.rest();
      continue;
    }
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const omission = judge(path, entry, taken, context);
      if (omission !== undefined) omitted.push(omission);
      else if (entry.isDirectory()) folders.push(path);
      else takeFile(path, context, files, omitted);
      if (context.pace.isDue()) await context.pace.rest();
    }
  }
  return { files: files.sort(byPath), omitted: omitted.sort(byPath) };
}

/** Streams the names, so that a huge folder stops at the limit and does not fill memory. */
function listFolder(
  folder: string,
  { tree, base, meter, trace }: WalkContext,
  omitted: Omission[],
): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  trace?.look(join(base, folder));
  try {
    for (const entry of tree.entries(join(base, folder))) {
      meter.addEntry(folder === "" ? entry.name : `${folder}/${entry.name}`);
      entries.push(entry);
    }
  } catch (error) {
    if (error instanceof SkillError) throw error;
    trace?.spoil();
    const why = `The folder cannot be listed (${errorCodeOf(error)}).`;
    omitted.push(omit(folder === "" ? "." : folder, "unreadable", why));
  }
  return entries.sort((a, b) => comparePaths(a.name, b.name));
}

/**
 * Whether discovery treats a folder below the base as a skill: by the names in its listing, regardless of ignore
 * files, and never inside `_` folders. A viewer of the outer skill may not be allowed to see the inner one.
 */
function isNestedSkill(folder: string, entries: readonly TreeEntry[]): boolean {
  if (folder === "" || folder.split("/").some((name) => name.startsWith("_"))) return false;
  return entries.some(({ name }) => isSkillFile(name));
}

function judge(
  path: string,
  entry: TreeEntry,
  taken: Map<string, string>,
  context: WalkContext,
): Omission | undefined {
  const left = context.rules.omits(path, entry.name, entry.isDirectory());
  if (left === "junk") return omit(path, "junk", "The entry belongs to a tool or an operating system.");
  if (left === "ignored") return omit(path, "ignored", "An ignore file excludes the path.");
  if (entry.isSymbolicLink()) return omit(path, "link", "Links are not packed.");
  if (!entry.isFile() && !entry.isDirectory())
    return omit(path, "special", "The entry is neither a file nor a folder.");
  const problem = findPathProblem(path);
  if (problem !== undefined) return omit(path, "bad-name", `The path ${problem}.`);
  context.meter.checkPath(path);
  const key = foldName(entry.name);
  const twin = taken.get(key);
  if (twin !== undefined) return omit(path, "collision", `On some disks, the name is the same as ${twin}.`);
  taken.set(key, path);
  return undefined;
}

function takeFile(path: string, context: WalkContext, files: BundleFile[], omitted: Omission[]): void {
  const { tree, base, meter, allowHardLinks, trace } = context;
  const origin = join(base, path);
  const stats = tree.stat(origin);
  trace?.add(origin, stats);
  if (stats?.kind !== "file") {
    omitted.push(omit(path, "unreadable", "The file disappeared or changed its type during the walk."));
    return;
  }
  if (stats.links > 1 && !allowHardLinks) {
    omitted.push(omit(path, "hard-link", "The file has other hard links, which may be outside the skill."));
    return;
  }
  meter.addFile(path, stats.size);
  const relative = normalizeRelative(path, meter.limits);
  files.push({
    path: relative,
    size: stats.size,
    executable: stats.executable,
    role: fileRole(path),
    base,
    origin,
    stamp: stats.stamp,
  });
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return comparePaths(a.path, b.path);
}

function omit(path: string, reason: OmissionReason, message: string): Omission {
  return { path, reason, message };
}
