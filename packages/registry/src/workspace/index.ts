export {
  type A2aVersion,
  a2aCard,
  a2aVersions,
  type CardSigner,
  type CardSubject,
  publicCardKey,
} from "./a2a-card.ts";
export { type CardSkill, cardSkills, readCard } from "./agent-card.ts";
export { CardPusher, type CardPushPorts, type SendJson } from "./card-push.ts";
export {
  type ComposedWorkspace,
  composeWorkspace,
  type NamedText,
  type Peer,
  type WorkspaceCard,
  type WorkspaceSession,
  type WorkspaceSkill,
} from "./compose-workspace.ts";
export { addListedSkill, removeListedSkill } from "./config-edit.ts";
export {
  HostedWorkspace,
  MAX_WORKSPACE_FILE_BYTES,
  type WorkspaceFile,
  WorkspaceHost,
} from "./hosted-workspace.ts";
export { mayTalk, peersOf, type WorkspaceNode, type WorkspaceTree } from "./kinship.ts";
export { LiveWorkspace, type LiveWorkspaceOptions, type WorkspaceChange } from "./live-workspace.ts";
export {
  applyHotFields,
  CONFIG_FILE,
  type ConfigReading,
  compareConfigs,
  MAX_CONFIG_BYTES,
  type PlatformTarget,
  readWorkspaceConfig,
  type WorkspaceConfig,
  type WorkspaceProblem,
} from "./workspace-config.ts";
export {
  readText,
  readWorkspaceFolder,
  SKILLS_FOLDER,
  type WorkspaceReading,
  type WorkspaceReadOptions,
} from "./workspace-folder.ts";
export { type LinkPorts, type WorkReport, WorkspaceLink } from "./workspace-link.ts";
export {
  type ActivityEvent,
  addActivity,
  expireWorkspaces,
  type Heartbeat,
  listActivities,
  MAX_CARD_BYTES,
  OFFLINE_MS,
  placeWorkspace,
  putHeartbeat,
  readWorkspaces,
  registerWorkspace,
  updateCard,
  type WorkspaceActivity,
  type WorkspacePlace,
} from "./workspace-record.ts";
