export { type AgentPlace, agentFolder, agentNames, SHARED_FOLDER } from "./agent-folder.ts";
export { describePlan } from "./describe-plan.ts";
export {
  Fetcher,
  type FetcherOptions,
  type FetchPolicy,
} from "./fetcher/index.ts";
export { type FolderTargetOptions, folderTarget } from "./folder-target.ts";
export { installFrozen } from "./frozen.ts";
export { type GitOptions, type RunGit, systemGit } from "./git/git-command.ts";
export { type Guard, type InstallFindings, installGuard, noGuard } from "./guard.ts";
export {
  type BaseStore,
  baseFolder,
  type CheckedSkill,
  type FirstSight,
  InstallState,
  type UpdateChecks,
} from "./install-state.ts";
export { type Merge, type MergeConflict, mergeTrees } from "./merge.ts";
export { findOciLogin } from "./oci-login.ts";
export { checkOutdated, versionName } from "./outdated.ts";
export { type InstallPlan, mergeConflict, type PlanContext, planInstall } from "./plan.ts";
export {
  type Preparation,
  type PrepareContext,
  type Prepared,
  type PrepareFailure,
  type PrepareStep,
  prepareInstall,
  type Selection,
} from "./prepare.ts";
export { resolveSource } from "./resolve-source.ts";
export { globalLock, projectLock, type SkillLock } from "./skill-lock.ts";
export type {
  FetchedSkill,
  InstallSettings,
  OfferedSkill,
  Resolved,
  SkillOrigin,
  SourcePorts,
} from "./source.ts";
export { parseSource, readSource } from "./source-grammar.ts";
export { formatSource, type SourceSpec } from "./source-spec.ts";
export { signWithSsh } from "./ssh-sign.ts";
export type { Applied, InstallChange, Installed, InstallRecord, InstallTarget, Occupied } from "./target.ts";
export {
  readTrustPolicy,
  requirementFor,
  type TrustPolicy,
  type TrustRule,
  writeTrustPolicy,
} from "./trust-policy.ts";
export {
  checkUpdate,
  cooldownEnd,
  DEFAULT_MIN_AGE_MS,
  refetchBase,
  type UpdateCheck,
  type UpdateOptions,
} from "./update.ts";
