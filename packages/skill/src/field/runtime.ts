import type { ParsedSkill } from "../parse/parse.ts";
import { type FrontmatterValue, isMap, textOf } from "../yaml/value.ts";

/** The runtimes of a skill; `*` alone means all. */
export interface RuntimeList {
  readonly names: readonly string[];
  /** True when the field is malformed and the skill counts as universal. */
  readonly isMalformed: boolean;
}

const UNIVERSAL = ["*"] as const;

/** Reads `runtime:`: absent, a name, or a list of names. A malformed value never drops a skill. */
export function readRuntime(value: FrontmatterValue | undefined): RuntimeList {
  if (value === undefined || value === null) return universal(false);
  const items = typeof value === "string" ? [value] : value;
  if (!Array.isArray(items) || !items.every((item): item is string => typeof item === "string"))
    return universal(true);
  const names = [...new Set(items.map((item) => item.trim()))];
  if (names.includes("")) return universal(true);
  return names.length === 0 || names.includes("*") ? universal(false) : { names, isMalformed: false };
}

/** The runtime of a viewer that gets the skills of every runtime. */
export const ANY_RUNTIME = "*";

/** Whether a skill for `runtimes` works in the runtime `current`, or in one of its names. */
export function fitsRuntime(runtimes: readonly string[], current: string | readonly string[]): boolean {
  if (runtimes.includes("*")) return true;
  const names = typeof current === "string" ? [current] : current;
  return names.some((name) => name === ANY_RUNTIME || runtimes.includes(name));
}

/** The log line for a skill that is skipped because it is for other runtimes. */
export function runtimeSkipLine(
  skill: string,
  runtimes: readonly string[],
  current: string | readonly string[],
): string {
  const name = typeof current === "string" ? current : `[${current.join(", ")}]`;
  return `Skipping skill ${skill}: runtime=[${runtimes.join(", ")}] not compatible with current=${name}`;
}

/** The skills that an agent does not get because they are for other runtimes, each with its log line. */
export function listRuntimeSkips(
  skills: readonly { readonly id: string; readonly runtime: readonly string[] }[],
  current: string | readonly string[],
): readonly { readonly id: string; readonly message: string }[] {
  return skills
    .filter(({ runtime }) => !fitsRuntime(runtime, current))
    .map(({ id, runtime }) => ({ id, message: runtimeSkipLine(id, runtime, current) }));
}

function universal(isMalformed: boolean): RuntimeList {
  return { names: UNIVERSAL, isMalformed };
}

/** Semantic Versioning 2.0.0. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/**
 * The author's version, as written: from `version`, else `metadata.version`. An unquoted `1.10` stays "1.10". The
 * registry's revision is a separate number that is not in the file.
 */
export function authorVersion(skill: ParsedSkill): string | undefined {
  const { version, metadata } = skill.frontmatter;
  if (version !== undefined && version !== null) return textOf(version) ?? skill.yaml?.texts.get("version");
  return isMap(metadata) ? textOf(metadata["version"]) : undefined;
}

export function isSemver(version: string): boolean {
  return version.length <= 256 && SEMVER.test(version);
}
