/** A pattern or path as plain segments; a relative one belongs to the working folder. */
export type PathReading =
  | { readonly isAbsolute: boolean; readonly segments: readonly string[]; readonly problem?: never }
  | { readonly problem: string; readonly segments?: never };

export interface PathPlaces {
  /** The skill's own folder, absolute. */
  readonly folder?: string | undefined;
  /** The working folder, absolute. Without it, relative paths match only relative patterns. */
  readonly workingFolder?: string | undefined;
}

/**
 * Reads the specifier of `Read(…)`: `//x` and placeholders are absolute; `/x`, `./x` and `x` are in the working
 * folder. `*` and `?` match within a segment, `**` spans segments.
 */
export function readPathPattern(pattern: string): PathReading {
  if (/[[\]{}!\\]/.test(pattern.replace(/\$?\{(?:CLAUDE_SKILL_DIR|baseDir)\}/, ""))) {
    return { problem: "of wildcards, only *, ** and ? are known in a path" };
  }
  if (pattern.startsWith("~")) return { problem: "~ is not known here; write the path with // in front" };
  const isAbsolute = /^(?:\/\/|\$\{CLAUDE_SKILL_DIR\}|\{baseDir\})/.test(pattern);
  const text = pattern.endsWith("/") ? `${pattern}**` : pattern;
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return { problem: "a path with .. in it grants nothing" };
  return { isAbsolute, segments };
}

/**
 * Whether a path matches a pattern. Paths are compared as text: a path with `..` never matches, and links are not
 * followed; the tool that opens the file handles them.
 */
export function matchesPath(pattern: string, path: string, places: PathPlaces = {}): boolean {
  const wanted = place(resolvePattern(pattern, places.folder), places.workingFolder);
  const actual = place(readPath(path), places.workingFolder);
  if (wanted.problem !== undefined || actual.problem !== undefined) return false;
  return (
    wanted.isAbsolute === actual.isAbsolute &&
    matchWild(wanted.segments, actual.segments, "**", isSegmentLike)
  );
}

/** Whether a glob and all its alternatives stay below their folder. */
export function isInnerGlob(glob: string): boolean {
  const reading = readPath(glob);
  return reading.problem === undefined && !reading.isAbsolute && !/\.\.|[{(,|][/~]/.test(glob);
}

function readPath(path: string): PathReading {
  // A backslash is a separator on some systems; a leading ~ is a home folder for some tools.
  if (path === "" || /[\\\p{Cc}]/u.test(path) || path.startsWith("~") || /^[A-Za-z][\w+.-]*:/.test(path)) {
    return { problem: "it is not a plain path" };
  }
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return { problem: "it holds .." };
  return { isAbsolute: path.startsWith("/"), segments };
}

function resolvePattern(pattern: string, folder: string | undefined): PathReading {
  const reading = readPathPattern(pattern);
  if (reading.problem !== undefined) return reading;
  const [first = "", ...rest] = reading.segments;
  if (!/^(?:\$\{CLAUDE_SKILL_DIR\}|\{baseDir\})$/.test(first)) {
    const isPlain = reading.segments.every((segment) => !/[${}]/.test(segment));
    return isPlain ? reading : { problem: "a placeholder has to be the first segment" };
  }
  const root = folder === undefined ? undefined : readPath(folder);
  if (root?.segments === undefined || !root.isAbsolute) return { problem: "the skill has no folder" };
  // A folder name may contain a star, which must not become a wildcard.
  if (root.segments.some((segment) => /[*?]/.test(segment)))
    return { problem: "the skill's folder has a wildcard" };
  return { isAbsolute: true, segments: [...root.segments, ...rest] };
}

function place(reading: PathReading, workingFolder: string | undefined): PathReading {
  if (reading.problem !== undefined || reading.isAbsolute || workingFolder === undefined) return reading;
  const root = readPath(workingFolder);
  if (root.problem !== undefined) return root;
  return { isAbsolute: true, segments: [...root.segments, ...reading.segments] };
}

function isSegmentLike(wanted: string, actual: string): boolean {
  return matchWild([...wanted], [...actual], "*", (one, other) => one === "?" || one === other);
}

/** Greedy matching that backtracks only to the last star: at most quadratic time. */
function matchWild(
  wanted: readonly string[],
  actual: readonly string[],
  star: string,
  isLike: (wanted: string, actual: string) => boolean,
): boolean {
  let at = 0;
  let lastStar = -1;
  let resume = 0;
  for (let index = 0; index < actual.length; ) {
    const want = wanted[at];
    if (want === star) {
      lastStar = at;
      resume = index;
      at += 1;
    } else if (want !== undefined && isLike(want, actual[index] ?? "")) {
      at += 1;
      index += 1;
    } else if (lastStar !== -1) {
      resume += 1;
      index = resume;
      at = lastStar + 1;
    } else {
      return false;
    }
  }
  return wanted.slice(at).every((rest) => rest === star);
}
