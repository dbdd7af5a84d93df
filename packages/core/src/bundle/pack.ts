import { dirname, sep } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { comparePaths } from "@skillhold/skill";
import { type Bundle, BundleMeter } from "./bundle.ts";
import { diskTree, type FileTree } from "./file-tree.ts";
import { type PackPurpose, readIgnoreRules } from "./ignore-rule.ts";
import { Pace } from "./pace.ts";
import type { PackTrace } from "./pack-trace.ts";
import { addShared } from "./shared.ts";
import { type WalkContext, walk } from "./walk.ts";

export interface PackOptions {
  /** Default: `use`. */
  readonly purpose?: PackPurpose;
  readonly limits?: Limits;
  /** Where the folder is; the disk by default. */
  readonly tree?: FileTree;
  /**
   * `sibling` adds used helpers from the `_shared` folder beside the skill. `none` packs the folder alone, for folders
   * that were written from a bundle.
   */
  readonly shared?: "sibling" | "none";
  /** The root of the skill's source. A `_shared` folder outside it is ignored. */
  readonly within?: string | undefined;
  readonly allowHardLinks?: boolean;
  readonly signal?: AbortSignal;
  /** Receives every path that the bundle depends on. */
  readonly trace?: PackTrace;
}

const ENTRIES_BETWEEN_RESTS = 256;

/**
 * Decides which files belong to a skill. The only place that does. Also packs a folder without SKILL.md; the caller
 * decides whether it is a skill.
 */
export async function pack(folder: string, options: PackOptions = {}): Promise<Bundle> {
  const { tree = diskTree } = options;
  const root = resolveFolder(folder, tree);
  const allowHardLinks = options.allowHardLinks ?? false;
  const { trace, purpose = "use" } = options;
  trace?.look(root);
  const context: WalkContext = {
    tree,
    base: root,
    rules: readIgnoreRules(root, { tree, allowHardLinks, trace, purpose }),
    meter: new BundleMeter(options.limits ?? defaultLimits),
    pace: new Pace(ENTRIES_BETWEEN_RESTS, options.signal),
    allowHardLinks,
    trace,
  };
  context.pace.stopIfAborted();
  const own = await walk("", context);
  const takesShared = options.shared !== "none" && isBesideWithin(root, options.within, tree);
  const all = takesShared ? await addShared(own, context) : { ...own, strayReferences: [] };
  trace?.countOmitted(all.omitted.length);
  return {
    root,
    files: all.files.toSorted((a, b) => comparePaths(a.path, b.path)),
    omitted: all.omitted.toSorted((a, b) => comparePaths(a.path, b.path)),
    strayReferences: all.strayReferences,
    bytes: context.meter.bytes,
    allowHardLinks,
  };
}

/** Whether the siblings of a folder are inside the source. A source that is a skill has no siblings. */
function isBesideWithin(root: string, within: string | undefined, tree: FileTree): boolean {
  if (within === undefined) return true;
  const source = resolveFolder(within, tree);
  const parent = dirname(root);
  return parent === source || parent.startsWith(source.endsWith(sep) ? source : `${source}${sep}`);
}

function resolveFolder(folder: string, tree: FileTree): string {
  const root = tree.realPath(folder);
  if (root !== undefined && tree.stat(root)?.kind === "folder") return root;
  const problem = root === undefined ? `The folder ${folder} does not exist.` : `${folder} is not a folder.`;
  throw new SkillError("PATH_NOT_FOUND", problem, { details: { path: folder } });
}
