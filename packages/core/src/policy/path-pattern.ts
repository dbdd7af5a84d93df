/** A pattern or a path as plain segments; a relative one belongs to the working folder. */
export type PathReading =
  | { readonly isAbsolute: boolean; readonly segments: readonly string[]; readonly problem?: never }
  | { readonly problem: string; readonly segments?: never };

export interface PathPlaces {
  /** The skill's own folder, absolute. */
  readonly folder?: string | undefined;
  /** The folder that relative paths belong to, absolute. Without it they are compared with relative ones alone. */
  readonly workingFolder?: string | undefined;
}

/**
 * Reads what stands in `Read(…)`: `//x` is absolute, as is what starts with a placeholder; `/x`, `./x` and `x` lie in
 * the working folder. `*` and `?` stay within a segment, `**` spans any number of them.
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
 * Whether a path lies where a pattern says. Paths are compared as text: a path with `..` matches nothing, and links
 * are not followed, which is for the tool that opens the file.
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

/** Whether a glob of a host's tool stays below the folder that it is joined to, with all its alternatives. */
export function isInnerGlob(glob: string): boolean {
  const reading = readPath(glob);
  return reading.problem === undefined && !reading.isAbsolute && !/\.\.|[{(,|][/~]/.test(glob);
}

function readPath(path: string): PathReading {
  // A backslash separates on some systems and is a character on others; a leading ~ is a home for some tools.
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
  // A folder's name may hold a star, and must not become a wildcard.
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

/** Greedy matching that goes back to the last star alone: its time is the product of the lengths at most. */
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
