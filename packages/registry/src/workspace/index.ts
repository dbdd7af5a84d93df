export { type CardSkill, cardSkills, readCard } from "./agent-card.ts";
export { type LiveWorkspace, mayTalk, peersOf, type WorkspaceTree } from "./kinship.ts";
export {
  addActivity,
  expireWorkspaces,
  type Heartbeat,
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
