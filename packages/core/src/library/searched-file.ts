import { fileRole } from "@skillhold/skill";

/** The files of a skill that a search reads beside SKILL.md, in order. */
export interface SearchedFiles {
  readonly references: readonly string[];
  readonly evaluations: readonly string[];
}

/** Files above these numbers are not read. */
const MOST_REFERENCES = 128;
const MOST_EVALUATIONS = 8;
/** The first bytes of a reference are enough to find its topic. */
export const REFERENCE_BYTES = 8 * 1024;
/** A larger evaluation file is not read, because a part of it cannot be parsed. */
export const EVALUATION_BYTES = 256 * 1024;
/** Folders below the skill are walked to this depth. */
export const SEARCHED_DEPTH = 6;

const TEXT_FILE = /\.(?:md|markdown|txt)$/i;
const ABOUT_THE_PACKAGE =
  /(?:^|\/)(?:readme|license|licence|changelog|notice|contributing|code_of_conduct)\b[^/]*$/i;
const SKILL_FILE = /(?:^|\/)skill\.md$/i;
const EVALUATION_FILE = /^(?:evals?|evaluations?)\/.*\.json$/i;

/** Whether a search may read a file, by its path in the skill. */
export function isSearchedFile(path: string): boolean {
  return isReference(path) || EVALUATION_FILE.test(path);
}

/** Picks the files to read. A folder with a SKILL.md below the top is another skill. */
export function selectSearchedFiles(paths: readonly string[]): SearchedFiles {
  const nested = paths
    .filter((path) => SKILL_FILE.test(path) && path.includes("/"))
    .map((path) => path.slice(0, path.lastIndexOf("/") + 1));
  const own = paths.filter((path) => !nested.some((folder) => path.startsWith(folder))).toSorted();
  const references = own.filter((path) => isReference(path));
  const isFirst = (path: string) => fileRole(path) === "reference";
  return {
    references: [
      ...references.filter((path) => isFirst(path)),
      ...references.filter((path) => !isFirst(path)),
    ].slice(0, MOST_REFERENCES),
    evaluations: own.filter((path) => EVALUATION_FILE.test(path)).slice(0, MOST_EVALUATIONS),
  };
}

function isReference(path: string): boolean {
  if (!TEXT_FILE.test(path) || SKILL_FILE.test(path) || ABOUT_THE_PACKAGE.test(path)) return false;
  const role = fileRole(path);
  return role === "reference" || role === "resource" || role === "example";
}
