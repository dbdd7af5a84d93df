import { realpathSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { comparePaths } from "@skillhold/skill";
import { type Bundle, BundleMeter } from "./bundle.ts";
import { readIgnoreRules } from "./ignore-rule.ts";
import { Pace } from "./pace.ts";
import type { PackTrace } from "./pack-trace.ts";
import { addShared } from "./shared.ts";
import { type WalkContext, walk } from "./walk.ts";

export interface PackOptions {
  readonly limits?: Limits;
  /**
   * `sibling` copies in the helpers that the skill uses from the `_shared` folder beside it; `none` takes the
   * folder as it is, which is right for one that was itself written from a bundle.
   */
  readonly shared?: "sibling" | "none";
  /** The root of the source that the skill belongs to: a `_shared` folder outside it is not taken. */
  readonly within?: string | undefined;
  readonly allowHardLinks?: boolean;
  readonly signal?: AbortSignal;
  /** Told of all that the bundle depends on. */
  readonly trace?: PackTrace;
}

const ENTRIES_BETWEEN_RESTS = 256;

/**
 * Decides which files are a skill: the only place that does. A folder without SKILL.md packs as well; whether
 * it is a skill is for the reader of SKILL.md to say.
 */
export async function pack(folder: string, options: PackOptions = {}): Promise<Bundle> {
  const root = resolveFolder(folder);
  const allowHardLinks = options.allowHardLinks ?? false;
  const { trace } = options;
  trace?.look(root);
  const context: WalkContext = {
    base: root,
    rules: readIgnoreRules(root, { allowHardLinks, trace }),
    meter: new BundleMeter(options.limits ?? defaultLimits),
    pace: new Pace(ENTRIES_BETWEEN_RESTS, options.signal),
    allowHardLinks,
    trace,
  };
  context.pace.stopIfAborted();
  const own = await walk("", context);
  const takesShared = options.shared !== "none" && isBesideWithin(root, options.within);
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

/** Whether what lies beside a folder lies in the source. A source that is itself a skill has nothing beside it. */
function isBesideWithin(root: string, within: string | undefined): boolean {
  if (within === undefined) return true;
  const source = resolveFolder(within);
  const parent = dirname(root);
  return parent === source || parent.startsWith(source.endsWith(sep) ? source : `${source}${sep}`);
}

function resolveFolder(folder: string): string {
  try {
    const root = realpathSync.native(folder);
    if (statSync(root).isDirectory()) return root;
  } catch (error) {
    throw new SkillError("PATH_NOT_FOUND", `There is no folder ${folder}.`, {
      details: { path: folder },
      cause: error,
    });
  }
  throw new SkillError("PATH_NOT_FOUND", `${folder} is not a folder.`, { details: { path: folder } });
}
