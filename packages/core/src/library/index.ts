export type { IndexCache } from "../index-cache.ts";
export {
  type Access,
  type AccessReason,
  type AccessSettings,
  type DisabledIds,
  decideAccess,
  isOpenTo,
  isSameSettings,
  type SkillDecision,
} from "./access.ts";
export {
  type Disclosure,
  type DisclosureRequest,
  type DisclosureSubject,
  discloseSkill,
  mayKnow,
} from "./disclosure.ts";
export { FolderWatch } from "./folder-watch.ts";
export { freeBytes } from "./free-bytes.ts";
export { type ExplanationPage, IndexedLibrary, type LibraryOptions } from "./indexed-library.ts";
export type {
  ByteRange,
  ContentOptions,
  Explanation,
  Library,
  LibraryChange,
  Resource,
  SearchOptions,
  SearchResult,
  SkillContent,
  SkillFile,
} from "./library.ts";
export { LibrarySearch, revisionName, type SearchStore, type SearchTexts } from "./library-search.ts";
export type { LiveReloadOptions } from "./live-reload.ts";
export type { MemorySkill } from "./memory-shelf.ts";
export {
  FolderLibrary,
  type FolderState,
  MemoryLibrary,
  type OpenLibraryOptions,
  openLayeredLibrary,
  openLibrary,
  openMemoryLibrary,
  type SourceState,
} from "./open-library.ts";
export { type Ownership, pinOf } from "./ownership.ts";
export { asResource } from "./resource.ts";
export { searchStore } from "./search-store.ts";
export { EVALUATION_BYTES, REFERENCE_BYTES, selectSearchedFiles } from "./searched-file.ts";
export type { FilePart, InvalidSkill, OpenBundle, ShadowedSkill, Shelf, ShelfView } from "./shelf.ts";
export type { GateState } from "./sight-cache.ts";
export { type SearchedTexts, toDocument } from "./skill-document.ts";
export { TextCache } from "./text-keeper.ts";
export { type AgentStanding, runtimeName, type Viewer, withAgentRecord } from "./viewer.ts";
