import { basename, dirname, resolve } from "node:path";
import { didYouMean, suggest } from "@skillhold/core/session";
import { discoverSources, type Source } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { listOption, present } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { STORE_LABEL } from "./registry-layer.ts";
import { statPath } from "./stat-path.ts";

/**
 * The folders that were named, and those alone; without any, the ones an agent here would expect. `servers` are labels
 * that may be named and are no folders.
 */
export function chooseSources(
  roots: readonly string[],
  options: CommandInput["options"],
  io: Io,
  hasStore: boolean,
  servers: readonly string[] = [],
): readonly Source[] {
  const home = io.env["HOME"] || io.env["USERPROFILE"] || undefined;
  const isProjectTrusted = options["trustProject"] === true;
  const found =
    roots.length > 0
      ? namedSources(roots, io.cwd)
      : discoverSources({ cwd: io.cwd, isProjectTrusted, ...present({ home }) });
  const others = [...(hasStore ? [STORE_LABEL] : []), ...servers];
  const chosen = filterSources(found, listOption(options, "source"), others);
  return options["followLinks"] === true ? chosen.map((each) => ({ ...each, followLinks: true })) : chosen;
}

function namedSources(roots: readonly string[], cwd: string): readonly Source[] {
  const sources = new Map<string, Source>();
  for (const label of roots) {
    const path = resolve(cwd, label);
    const stats = statPath(path, label);
    if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
    const isSkillFile = !stats.isDirectory() && basename(path).toLowerCase() === "skill.md";
    if (!stats.isDirectory() && !isSkillFile)
      throw new SkillError("PATH_NOT_FOUND", `${label} is not a folder.`, {
        hint: "Name a folder that is or holds skills.",
      });
    const root = isSkillFile ? dirname(path) : path;
    if (!sources.has(root)) sources.set(root, { label, kind: "workspace", trust: "user", root });
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
      : `There are: ${known.join(", ")}.`;
  throw new SkillError("USAGE", `There is no source ${unknown}.`, {
    hint: didYouMean(suggest(unknown, known)) ?? otherwise,
  });
}

/** The options that name these folders, with a blank before each. */
export function formatRoots(roots: readonly string[]): string {
  return roots.map((root) => ` --root ${/^[\w./~@+-]+$/.test(root) ? root : JSON.stringify(root)}`).join("");
}
