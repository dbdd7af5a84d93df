import { basename, dirname, resolve } from "node:path";
import { findRealPath } from "@skillhold/core/bundle";
import { discoverSources, type Source } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { bundledFolder } from "../place/bundled.ts";
import { statPath } from "../place/io-failure.ts";
import { type ProcessContext, present } from "../place/machine.ts";

/** Which folders to look at. */
export interface FolderChoice {
  /** Look at these folders only. */
  readonly root?: readonly string[];
  /** Use only the sources with these labels. */
  readonly source?: readonly string[];
  /** Trust the project's skills like the user's own. */
  readonly trustProject?: boolean;
  /** Follow links that leave a source. */
  readonly followLinks?: boolean;
  /** Reject skills that break the specification. */
  readonly strict?: boolean;
  /** Serve only reviewed content: an edit on disk becomes a proposal. */
  readonly governed?: boolean;
}

/**
 * The named folders, and only those; without any, the folders that an agent here would expect. `others` are labels of
 * sources that are not folders and may be named, too.
 */
export function chooseFolders(
  { root = [], source = [], trustProject = false, followLinks = false, strict = false }: FolderChoice,
  { env, cwd }: ProcessContext,
  others: readonly string[],
): readonly Source[] {
  const home = env["HOME"] || env["USERPROFILE"] || undefined;
  const found =
    root.length > 0
      ? namedFolders(root, cwd)
      : discoverSources({ cwd, isProjectTrusted: trustProject, ...present({ home }) });
  const chosen = filterSources(found, source, others);
  const asked = { ...(followLinks ? { followLinks } : {}), ...(strict ? { strict } : {}) };
  return withBundledTrust(chosen).map((each) => ({ ...each, ...asked }));
}

/** The bundled skills belong to the product, however their folder is named. A copy elsewhere has the trust of its place. */
function withBundledTrust(sources: readonly Source[]): readonly Source[] {
  const bundled = findRealPath(bundledFolder());
  if (bundled === undefined) return sources;
  return sources.map((source) => {
    const root = findRealPath(source.root);
    const isBundled = root === bundled || (root !== undefined && dirname(root) === bundled);
    return isBundled ? { ...source, trust: "builtin" } : source;
  });
}

function namedFolders(roots: readonly string[], cwd: string): readonly Source[] {
  const sources = new Map<string, Source>();
  for (const label of roots) {
    const path = resolve(cwd, label);
    const stats = statPath(path, label);
    if (stats === undefined)
      throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`, {
        hint: `Create the folder ${path}, or name another one.`,
        details: { path },
      });
    const isSkillFile = !stats.isDirectory() && basename(path).toLowerCase() === "skill.md";
    if (!stats.isDirectory() && !isSkillFile)
      throw new SkillError("PATH_NOT_FOUND", `${label} is not a folder.`, {
        hint: "Name a folder that is a skill or contains skills.",
      });
    const root = isSkillFile ? dirname(path) : path;
    if (!sources.has(root))
      sources.set(root, { label, kind: "workspace", trust: "user", root, isNamed: true });
  }
  return [...sources.values()];
}

function filterSources(
  sources: readonly Source[],
  labels: readonly string[],
  others: readonly string[],
): readonly Source[] {
  if (labels.length === 0) return sources;
  const known = [...sources.map(({ label }) => label), ...others];
  const unknown = labels.find((label) => !known.includes(label));
  if (unknown === undefined) return sources.filter(({ label }) => labels.includes(label));
  const otherwise =
    known.length === 0
      ? "No source was found here; name a folder with --root."
      : `The sources are ${known.join(", ")}.`;
  throw new SkillError("USAGE", `No source is labeled ${unknown}.`, {
    hint: didYouMean(suggest(unknown, known)) ?? otherwise,
  });
}
