export {
  BackgroundCheck,
  type BackgroundItem,
  type BackgroundPorts,
  type CheckEvent,
} from "./background-check.ts";
export { type CheckPorts, type CheckRequest, type CheckResult, checkDependencies } from "./checker.ts";
export { environmentHome } from "./environment-folder.ts";
export type { EnvironmentLink, EnvironmentOwner } from "./environment-link.ts";
export { environmentLockHash } from "./environment-lock.ts";
export type { EnvironmentRecord } from "./environment-record.ts";
export {
  type Clear,
  type ClearancePorts,
  type InstallOutcome,
  type InstallSubject,
  installClearance,
  type RecordInstall,
} from "./install-clearance.ts";
export type { InstallEvent } from "./install-event.ts";
export type { ItemResult } from "./install-group.ts";
export {
  type InstallOptions,
  type InstallPorts,
  type InstallReport,
  installDependencies,
  type PackageInstallPlan,
} from "./installer.ts";
export { environmentOf, type RunEnvironmentPorts, runEnvironment } from "./run-environment.ts";
export {
  cacheRuntimes,
  checkRuntimes,
  type RuntimeReport,
  type RuntimeState,
  type RuntimesPorts,
} from "./runtimes.ts";
export { type EnvironmentPorts, findEnvironment, type SkillEnvironment } from "./skill-environment.ts";
export { installForSkill, type SkillInstallPlan, specsFor } from "./skill-install.ts";
export { type ManifestPorts, type ManifestSubject, readDependencyManifest } from "./skill-manifest.ts";
export { type InstallSpec, type Manager, readSpec } from "./spec.ts";
export {
  canInstall,
  type DependencySurvey,
  dependencyWarnings,
  type EnvironmentRunPorts,
  type EnvironmentRuns,
  environmentRuns,
  prepareCheck,
  type SurveyOptions,
  type SurveyPorts,
  surveyDependencies,
  warningsOf,
} from "./survey.ts";
export { copySubject, folderSubject, withLibrarySubject } from "./survey-subject.ts";
export type { SystemHost } from "./system-install.ts";
