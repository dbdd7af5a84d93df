import type { ParsedSkill } from "./parse.ts";
import { isMap, textOf } from "./value.ts";

/** Semantic Versioning 2.0.0. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/**
 * The author's version, as written: from `version`, else `metadata.version`. An unquoted `1.10` stays "1.10".
 * The store's own count of releases is called a revision and is not in the file.
 */
export function authorVersion(skill: ParsedSkill): string | undefined {
  const { version, metadata } = skill.frontmatter;
  if (version !== undefined && version !== null) return textOf(version) ?? skill.yaml?.texts.get("version");
  return isMap(metadata) ? textOf(metadata["version"]) : undefined;
}

export function isSemver(version: string): boolean {
  return version.length <= 256 && SEMVER.test(version);
}
