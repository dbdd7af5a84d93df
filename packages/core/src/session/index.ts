export type { ActivateOptions, Activation, Deactivation, Invoker } from "./activation.ts";
export type { ActivatedFile, ActivatedSkill, RepeatNote } from "./activation-text.ts";
export { writeActivation } from "./activation-text.ts";
export {
  type ComposeOptions,
  composeInstructions,
  type Instructions,
  injectAll,
  type ReadPrompt,
} from "./instruction.ts";
export {
  type AgentManifest,
  type ManifestProblem,
  type ManifestReading,
  readAgentManifest,
  viewerForAgent,
} from "./manifest.ts";
export type { FilePublisher, FolderPublisher, InlineFile, SessionPorts, SkillUse } from "./port.ts";
export { systemPorts } from "./port.ts";
export type {
  KeptRun,
  Proposed,
  ProposedChange,
  SessionProposal,
  SkillProposer,
} from "./proposal.ts";
export {
  endsBatch,
  type PathChange,
  type Publication,
  type Published,
  type PublishFailure,
  type PublishOptions,
} from "./publication.ts";
export type { SessionResource } from "./resource.ts";
export { openSession, type Session } from "./session.ts";
export type { CatalogueRequest, SessionCatalogue } from "./session-catalogue.ts";
export { sessionCatalogue, useCounts } from "./session-catalogue.ts";
export { type Recorded, SessionLog } from "./session-log.ts";
export type { PromptSession, SessionManifest, SessionOptions } from "./session-option.ts";
export type { SlashResult, SlashSkill } from "./slash.ts";
export type { DroppedActivation, Resumption, SessionSnapshot } from "./snapshot.ts";
export { readSupplement } from "./supplement.ts";
export {
  type AgentTool,
  callSkillTool,
  findSkillTool,
  type SkillTool,
  type SkillToolName,
  type SkillToolOptions,
  skillTools,
  type ToolRunOptions,
} from "./tool.ts";
export type { ActiveSkill, ToolContext } from "./tool-context.ts";
export {
  callDeclaredTool,
  type DeclaredToolList,
  declaredTools,
  type SkillToolProblem,
} from "./tool-declared.ts";
export type { SkillItem, SkillListing } from "./tool-listing.ts";
export {
  answerTool,
  succeedTool,
  type ToolError,
  type ToolResult,
} from "./tool-result.ts";
export { disarmTags, wrap } from "./wrap.ts";
export { type GuardedCall, type ToolGuard, type WrapOptions, wrapTools } from "./wrap-tools.ts";
