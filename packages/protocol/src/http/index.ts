export { AgentView } from "./agent-route.ts";
export { QuestionView } from "./approval-route.ts";
export { SkillMetrics } from "./gateway-route.ts";
export { Problem } from "./problem.ts";
export { everyone, type Route, type RouteContent, type RouteTag, route } from "./route.ts";
export { type ContentOperation, type Operation, type RouteTable, routeTable } from "./route-table.ts";
export {
  Publication,
  RevisionView,
  SearchHit,
  SkillDetail,
  SkillDiff,
  SkillFacts,
  SkillFile,
  SkillRow,
} from "./skill-schema.ts";
export { archiveTypes, ClientMessage, DependencyEvent, ServerMessage } from "./socket.ts";
export { TokenView } from "./token-route.ts";
