export { type AgentKit, AgentSession } from "./agent-session.ts";
export type { ServedGateway, ServeOptions } from "./gateway/serve.ts";
export { openSkillhold, Skillhold, type SkillholdOptions } from "./open-skillhold.ts";
export type { Workspace, WorkspaceOptions } from "./workspace/open-workspace.ts";
