export {
  combineDigests,
  findPathProblem,
  foldName,
  hashSkillFile,
  normalizeRelative,
  type PathLimits,
  type RelativePath,
  rejectFilled,
  roleOf,
  writeCopy,
} from "./bundle/index.ts";
export { keepFile, readKeptFile } from "./kept-file.ts";
export { IndexedLibrary, type LibraryOptions } from "./library/indexed-library.ts";
export type { ByteRange, LibraryChange, SkillFile } from "./library/library.ts";
export { LibrarySearch, type SearchTexts } from "./library/library-search.ts";
export type { FilePart, InvalidSkill, OpenBundle, ShadowedSkill, Shelf, ShelfView } from "./library/shelf.ts";
export { toDocument } from "./library/skill-document.ts";
export { type Launched, launch } from "./sandbox/process.ts";
export type { SearchDocument } from "./search/index.ts";
export { toEntry } from "./source/entry.ts";
export { REMOTE_PREFIX, SERVER_MARK } from "./source/origin.ts";
export { recordSkill } from "./source/record.ts";
