export {
  type AgentChange,
  addAgent,
  changeAgent,
  getAgent,
  listAgents,
  type NewAgent,
  type RemovedAgent,
  removeAgent,
} from "./access/agents.ts";
export { type EffectiveAccess, explainAccess } from "./access/explain-access.ts";
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
} from "./access/grants.ts";
export { archiveSkill, type StatusChange, unarchiveSkill } from "./access/status.ts";
export { type Toggled, toggleFolderSkill, toggleSkill } from "./access/toggle.ts";
export { type AgentUse, agentFor, viewerFor } from "./access/viewer-for.ts";
export {
  type ExportContext,
  type ExportFormat,
  exportFormats,
  exportSkills,
  type SkillExport,
} from "./exchange/export.ts";
export {
  type ExportedFolder,
  type ExportFolderOptions,
  exportFolder,
  type FolderExport,
} from "./exchange/export-folder.ts";
export {
  type ImportedSkill,
  type ImportOptions,
  type ImportReport,
  importSkills,
} from "./exchange/import.ts";
export {
  readSkillsLock,
  SKILLS_LOCK,
  type SkillsLock,
  skillsLockHash,
  toClawhubBundle,
  writeSkillsLock,
} from "./format/index.ts";
export { type FsckOptions, type FsckReport, fsck } from "./fsck/fsck.ts";
export type { FsckFinding } from "./fsck/fsck-finding.ts";
export {
  type DeletedSkill,
  type OpenRegistryLibraryOptions,
  openRegistryLibrary,
  RegistryLibrary,
} from "./library/registry-library.ts";
export type { SkillSnapshot } from "./library/skill-map.ts";
export { isManager } from "./ownership/ownership.ts";
export type { AgentRecord, UserRecord } from "./record/agent.ts";
export type { Blob, BlobEntry, BlobStore } from "./record/blob-store.ts";
export type { FolderToggle, Grant, Grantee } from "./record/grant.ts";
export type {
  CurrentSkill,
  RegisteredSkill,
  Revision,
  SkillOverride,
  TreeFile,
} from "./record/registered-skill.ts";
export type {
  AuthoringRequest,
  PublishHooks,
  RegistryContext,
  SkillAuthor,
} from "./record/registry-context.ts";
export type {
  AgentPage,
  AuditHead,
  AuditRow,
  EventQuery,
  GrantPage,
  ListPage,
  RegistryReader,
  RegistryStore,
  RegistryTransaction,
  RevisionPage,
  StoredEvent,
  StoredTree,
  TokenPage,
  TreePage,
} from "./record/registry-store.ts";
export type { StagedFile, StagedSkill } from "./record/staged-skill.ts";
export {
  type AgentPublisherOptions,
  agentPublisher,
  type FilePublisherOptions,
  filePublisher,
} from "./release/agent-publisher.ts";
export {
  type DiffEnd,
  diffRevisions,
  diffStaged,
  type FileChange,
  type SkillDiff,
  type TreeDiff,
  type TreeDiffs,
} from "./release/diff.ts";
export { type Edited, editSkill, type SkillEdit } from "./release/edit.ts";
export { type GuardHookPorts, guardHook } from "./release/guard-hook.ts";
export {
  capabilityDiff,
  getGuardReport,
  type RescanResult,
  rescanSkills,
  type WaiveOptions,
  waiveFinding,
} from "./release/guards.ts";
export { copyRevision, materialise, revisionFolder } from "./release/materialise.ts";
export { type PublishFolderOptions, publishFolder, publishStaged } from "./release/publish.ts";
export { type PublishedArchive, publishArchive } from "./release/publish-archive.ts";
export { type Purged, purgeSkill } from "./release/purge.ts";
export { deleteSkill, type Removal, restoreSkill } from "./release/remove.ts";
export {
  getRevision,
  getSkill,
  listRevisions,
  readRevisionFile,
  revisionFiles,
} from "./release/revisions.ts";
export { type RolledBack, rollback } from "./release/rollback.ts";
export { type SettleOptions, settleMissing } from "./release/settle.ts";
export { stageFolder } from "./release/stage.ts";
export { sweepStore } from "./release/sweep.ts";
export { type SeedOptions, type SeedReport, type SeedResult, seedSkills } from "./seed/seed.ts";
export { type SeedWatch, type WatchSeedsOptions, watchSeeds } from "./seed/seed-watch.ts";
