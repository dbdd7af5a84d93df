export {
  type Approval,
  type ApprovalAnswer,
  type ApprovalCall,
  type ApprovalGift,
  type ApprovalRequest,
  type ApprovalScope,
  type ApprovalStore,
  type Asker,
  approvalKey,
  describeRequest,
  type GivenApproval,
  headlineOf,
  memoryApprovals,
  type Requester,
  requestKey,
  revokeApproval,
  revokeChanged,
  type Widening,
} from "./approval/index.ts";
export {
  type Bundle,
  type BundleFile,
  hashSkillFile,
  normalizeRelative,
  type Omission,
  openInside,
  pack,
  readBounded,
  treeHash,
} from "./bundle/index.ts";
export {
  type Catalogue,
  type CatalogueFormat,
  type CatalogueOptions,
  catalogueFormats,
  defaultPreamble,
  formatForModel,
  neutralText,
  renderCatalogue,
} from "./catalogue/index.ts";
export type { IndexCache } from "./index-cache.ts";
export {
  type Access,
  type AccessReason,
  type AccessSettings,
  decideAccess,
  type SkillDecision,
} from "./library/access.ts";
export type { IndexedLibrary } from "./library/indexed-library.ts";
export type {
  ByteRange,
  Explanation,
  Library,
  LibraryChange,
  Resource,
  SearchOptions,
  SearchResult,
  SkillContent,
  SkillFile,
} from "./library/library.ts";
export type { LiveReloadOptions } from "./library/live-reload.ts";
export type { MemorySkill } from "./library/memory-shelf.ts";
export {
  FolderLibrary,
  type FolderState,
  LayeredLibrary,
  type LayeredLibraryOptions,
  MemoryLibrary,
  type OpenLibraryOptions,
  openLayeredLibrary,
  openLibrary,
  openMemoryLibrary,
  type SourceState,
} from "./library/open-library.ts";
export { type AccessRule, type GrantFacts, type Ownership, pinOf } from "./library/ownership.ts";
export type { AgentStanding, Viewer } from "./library/viewer.ts";
export {
  type Act,
  type ActiveGrant,
  type Condition,
  type Decision,
  decide,
  defaultRules,
  explainDecision,
  explainPolicy,
  type GuardOptions,
  guardToolCall,
  type PolicyRequest,
  type PolicyRow,
  type Rules,
  type ToolVerdict,
  tiers,
  type Verdict,
} from "./policy/index.ts";
export type { AuditSink, Clock, Ids } from "./port.ts";
export type {
  CallOptions,
  Clearance,
  ClearanceTarget,
  DeclaredTool,
  EnforcedLimits,
  Enforcement,
  LimitKind,
  Mount,
  Network,
  ProbeCheck,
  RunGrant,
  RunPorts,
  Sandbox,
  SandboxId,
  SandboxProbe,
  ScriptInput,
  ScriptOptions,
  ScriptRun,
  SkillRunner,
  ToolAnswer,
  ToolArgs,
  ToolCatalogue,
  ToolCatalogueCache,
  ToolProblem,
} from "./run/index.ts";
export type { Embedder, RerankCard, Reranker } from "./search/index.ts";
export {
  checkSecretName,
  checkSecretScope,
  checkSecretValue,
  declaredSecrets,
  type KeySource,
  keyFile,
  memorySecrets,
  openPrivateFile,
  type PrivateFileOptions,
  type RecordedSecrets,
  removeSecret,
  type SecretName,
  type SecretPlace,
  type SecretScope,
  type SecretStore,
  seal,
  setSecret,
  syncFolder,
  unseal,
} from "./secret/index.ts";
export type { ModelPorts, SearchState } from "./semantic/search-models.ts";
export type { VectorStore } from "./semantic/vector-store.ts";
export {
  type ActivatedSkill,
  type ActivateOptions,
  type Activation,
  type AgentManifest,
  type AgentTool,
  answerTool,
  callSkillTool,
  composeInstructions,
  type DeclaredToolList,
  type DroppedActivation,
  declaredTools,
  findSkillTool,
  type GuardedCall,
  type Instructions,
  injectAll,
  openSession,
  type Resumption,
  readAgentManifest,
  type Session,
  type SessionCatalogue,
  type SessionOptions,
  type SessionPorts,
  type SessionSnapshot,
  type SkillTool,
  type SkillToolName,
  type SlashResult,
  skillTools,
  succeedTool,
  systemPorts,
  type ToolContext,
  type ToolGuard,
  type ToolResult,
  type ToolRunOptions,
  viewerForAgent,
  type WrapOptions,
  wrapTools,
} from "./session/index.ts";
export { sessionCatalogue } from "./session/session-catalogue.ts";
export { type DiscoverOptions, discoverSources } from "./source/discover.ts";
export { findSkillFolders } from "./source/find-skills.ts";
export { nodeHost } from "./source/node-host.ts";
export { type OpenedSkill, openSkill } from "./source/open-skill.ts";
export { originOf, REMOTE_PREFIX, SERVER_MARK } from "./source/origin.ts";
export {
  defaultTrust,
  orderSources,
  type Precedence,
  precedences,
  type Source,
  type SourceKind,
  sourceKinds,
} from "./source/source.ts";
export { surveySkill } from "./source/survey.ts";
export { didYouMean, suggest } from "./text/index.ts";
