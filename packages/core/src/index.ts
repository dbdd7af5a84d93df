export {
  type Bundle,
  type BundleFile,
  findSkillFolders,
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
  cataloguePriority,
  defaultPreamble,
  formatForModel,
  neutralText,
  renderCatalogue,
} from "./catalogue/index.ts";
export { type Access, type AccessReason, type AccessSettings, decideAccess } from "./library/access.ts";
export type { IndexCache } from "./library/index-cache.ts";
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
  MemoryLibrary,
  type OpenLibraryOptions,
  openLibrary,
  openMemoryLibrary,
  type SourceState,
} from "./library/open-library.ts";
export type { Viewer } from "./library/viewer.ts";
export type { AuditSink, Clock, Ids } from "./port.ts";
export {
  type ActivatedSkill,
  type ActivateOptions,
  type Activation,
  type AgentManifest,
  callSkillTool,
  composeInstructions,
  didYouMean,
  type Instructions,
  injectAll,
  openSession,
  readManifest,
  type Session,
  type SessionOptions,
  type SessionPorts,
  type SkillTool,
  type SlashResult,
  skillTools,
  suggest,
  systemPorts,
  type ToolContext,
  type ToolResult,
  viewerOf,
} from "./session/index.ts";
export { type DiscoverOptions, discoverSources } from "./source/discover.ts";
export { nodeHost } from "./source/node-host.ts";
export { type OpenedSkill, openSkill } from "./source/open-skill.ts";
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
