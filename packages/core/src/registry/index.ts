export {
  type ArchiveBytes,
  archiveInMemory,
  type OpenArchiveOptions,
  type OpenedArchive,
  openArchiveFile,
  writeArchive,
} from "../archive/index.ts";
export {
  readSkillsLock,
  SKILLS_LOCK,
  type SkillsLock,
  skillsLockHash,
  toClawhubBundle,
  writeSkillsLock,
} from "../exchange/index.ts";
export {
  type InitOptions,
  initSkill,
  type NewSkill,
  type SkillTemplate,
  skillTemplates,
} from "../skill-template/index.ts";
export type { AgentRecord, UserRecord } from "./agent.ts";
export { type AgentPublisherOptions, agentPublisher } from "./agent-publisher.ts";
export {
  type AgentChange,
  addAgent,
  changeAgent,
  getAgent,
  listAgents,
  type NewAgent,
  type RemovedAgent,
  removeAgent,
} from "./agents.ts";
export type { Blob, BlobEntry, BlobStore } from "./blob-store.ts";
export {
  type DiffEnd,
  diffRevisions,
  diffStaged,
  type FileChange,
  type SkillDiff,
  type TreeDiff,
  type TreeDiffs,
} from "./diff.ts";
export { type Edited, editSkill, type SkillEdit } from "./edit.ts";
export { type EffectiveAccess, explainAccess } from "./explain-access.ts";
export {
  type ExportContext,
  type ExportFormat,
  exportFormats,
  exportSkills,
  type SkillExport,
} from "./export.ts";
export {
  type ExportedFolder,
  type ExportFolderOptions,
  exportFolder,
  type FolderExport,
} from "./export-folder.ts";
export { type FsckOptions, type FsckReport, fsck } from "./fsck.ts";
export type { FsckFinding } from "./fsck-finding.ts";
export type { FolderToggle, Grant, Grantee } from "./grant.ts";
export {
  findGrant,
  type Granted,
  type GrantOptions,
  type GrantResult,
  grantSkill,
  listGrantPage,
  listGrants,
  type RevokeOptions,
  revokeSkill,
} from "./grants.ts";
export { type ImportedSkill, type ImportOptions, type ImportReport, importSkills } from "./import.ts";
export { copyRevision, materialise, revisionFolder } from "./materialise.ts";
export { isManager } from "./ownership.ts";
export type { Publication, Published, PublishFailure, PublishOptions } from "./publication.ts";
export { type PublishFolderOptions, publishFolder, publishStaged } from "./publish.ts";
export { type PublishedArchive, publishArchive } from "./publish-archive.ts";
export { type Purged, purgeSkill } from "./purge.ts";
export type {
  CurrentSkill,
  RegisteredSkill,
  Revision,
  SkillOverride,
  TreeFile,
} from "./registered-skill.ts";
export type { PublishHooks, RegistryContext } from "./registry-context.ts";
export {
  type DeletedSkill,
  type OpenRegistryLibraryOptions,
  openRegistryLibrary,
  RegistryLibrary,
} from "./registry-library.ts";
export type {
  AgentPage,
  AuditHead,
  AuditRow,
  EventQuery,
  GrantPage,
  Page,
  RegistryReader,
  RegistryStore,
  RegistryTransaction,
  RevisionPage,
  StoredEvent,
  StoredTree,
  TokenPage,
  TreePage,
} from "./registry-store.ts";
export { deleteSkill, type Removal, restoreSkill } from "./remove.ts";
export { getRevision, getSkill, listRevisions, readRevisionFile, revisionFiles } from "./revisions.ts";
export { type RolledBack, rollback } from "./rollback.ts";
export { type SeedOptions, type SeedReport, type SeedResult, seedSkills } from "./seed.ts";
export { type SeedWatch, type WatchSeedsOptions, watchSeeds } from "./seed-watch.ts";
export { type SettleOptions, settleMissing } from "./settle.ts";
export type { HeldSkill } from "./shelved-skill.ts";
export { stageFolder } from "./stage.ts";
export type { StagedFile, StagedSkill } from "./staged-skill.ts";
export { archiveSkill, type StatusChange, unarchiveSkill } from "./status.ts";
export { sweepStore } from "./sweep.ts";
export { type Toggled, toggleFolderSkill, toggleSkill } from "./toggle.ts";
export { viewerFor } from "./viewer-for.ts";
