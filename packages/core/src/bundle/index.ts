export type { Bundle, BundleFile, Omission, OmissionReason, StrayReference } from "./bundle.ts";
export {
  errorCodeOf,
  normalizeRelative,
  type OpenedFile,
  type OpenOptions,
  openInside,
  type PathLimits,
  type RelativePath,
  SAFE_OPEN,
} from "./contain.ts";
export { copyBundle, rejectNonEmpty, writeCopy, writeNew } from "./copy.ts";
export type { FileTree, TreeEntry, TreeRead, TreeStats } from "./file-tree.ts";
export { readCachedFile, writeFileAtomically } from "./kept-file.ts";
export { type MemoryFile, MemoryTree } from "./memory-tree.ts";
export { Pace } from "./pace.ts";
export { type PackOptions, pack } from "./pack.ts";
export { PackTrace } from "./pack-trace.ts";
export {
  type FileBytes,
  type FileProblem,
  type FileRead,
  type ReadOptions,
  readBounded,
} from "./read-file.ts";
export { findRealPath } from "./real-path.ts";
export { stampOf } from "./stamp.ts";
export {
  combineDigests,
  type HashedTree,
  type HashOptions,
  hashFile,
  hashSkillFile,
  treeHash,
} from "./tree-hash.ts";
export { tryStat } from "./try-stat.ts";
