export { type AgentKit, AgentView } from "./agent-view.ts";
export type { ServedGateway, ServeOptions } from "./gateway/serve.ts";
export { openSkillhold, Skillhold, type SkillholdOptions } from "./open-skillhold.ts";
