export {
  BackgroundCheck,
  type BackgroundItem,
  type BackgroundPorts,
  type CheckEvent,
} from "./background-check.ts";
export { type CheckPorts, type CheckRequest, type CheckResult, checkDependencies } from "./checker.ts";
export { dependencyWarnings, warningsOf } from "./dependency-warning.ts";

export { environmentHome } from "./environment-folder.ts";
export type { EnvironmentLink, EnvironmentOwner } from "./environment-link.ts";
export type { EnvironmentRecord } from "./environment-record.ts";
export { type EnvironmentRunPorts, type EnvironmentRuns, environmentRuns } from "./environment-run.ts";
export { type ClearancePorts, type InstallSubject, installClearance } from "./install-clearance.ts";
export type { InstallEvent } from "./install-event.ts";
export type { ItemResult } from "./install-group.ts";
export type { Clear, InstallOutcome, RecordInstall } from "./install-record.ts";
export {
  type InstallOptions,
  type InstallPlan,
  type InstallPorts,
  type InstallReport,
  installDependencies,
} from "./installer.ts";
export { specsFor } from "./missing-spec.ts";

export { environmentOf, type RunEnvironmentPorts, runEnvironment } from "./run-environment.ts";
export { rememberRuntimes } from "./runtime-memory.ts";
export { checkRuntimes, type RuntimeReport, type RuntimeState, type RuntimesPorts } from "./runtimes.ts";
export { type EnvironmentPorts, findEnvironment, type SkillEnvironment } from "./skill-environment.ts";
export { installForSkill, type SkillInstallPlan } from "./skill-install.ts";
export { type ManifestPorts, type ManifestSubject, readManifest } from "./skill-manifest.ts";
export { type InstallSpec, type Manager, readSpec } from "./spec.ts";
export {
  type DependencySurvey,
  prepareCheck,
  type SurveyOptions,
  type SurveyPorts,
  surveyDependencies,
} from "./survey.ts";
export { copySubject, folderSubject, withLibrarySubject } from "./survey-subject.ts";
export type { SystemHost } from "./system-install.ts";
