export type {
  Bundle,
  BundleFile,
  Omission,
  OmissionReason,
  StrayReference,
} from "./bundle.ts";
export {
  normalizeRelative,
  type OpenedFile,
  type OpenOptions,
  openInside,
  type PathLimits,
  type RelativePath,
} from "./contain.ts";
export { copyBundle, rejectFilled, writeCopy } from "./copy.ts";
export {
  type Container,
  changeOf,
  type DiscoveryProblem,
  type FindOptions,
  type FoundSkills,
  findSkillFolders,
  isLeafSkill,
  type SkillFolder,
} from "./find-skills.ts";
export { IGNORE_FILES } from "./ignore-rule.ts";
export { comparePaths, findPathProblem, foldName } from "./name.ts";
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
export { isResource, type Role, roleOf } from "./role.ts";
export {
  combineDigests,
  type FileDigest,
  type HashedTree,
  type HashOptions,
  hashFile,
  hashSkillFile,
  treeHash,
} from "./tree-hash.ts";
export { tryStat } from "./try-stat.ts";
