export { Oversight } from "../ownership/oversight.ts";
export { isManager, notFound, oversees } from "../ownership/ownership.ts";
export { type AgentChange, addAgent, changeAgent, getAgent, listAgents, removeAgent } from "./agents.ts";
export { listApprovers, type SkillApprovers, setApprovers } from "./approvers.ts";
export { discloseAccess, type EffectiveAccess, explainAccess } from "./explain-access.ts";
export {
  answerGrant,
  findGrant,
  type GrantResult,
  grantSkill,
  listGrantPage,
  listGrants,
  listPendingGrants,
  type PendingView,
  revokeSkill,
} from "./grants.ts";
export { rejectUnknownSkills } from "./manifest-skill.ts";
export { archiveSkill, unarchiveSkill } from "./status.ts";
export { type Toggled, toggleFolderSkill, toggleSkill } from "./toggle.ts";
export { type AgentUse, agentFor, viewerFor } from "./viewer-for.ts";
