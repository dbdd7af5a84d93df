export { EvalReportBody, EvalSummary, ProposalEvals } from "./eval-schema.ts";
export { Problem } from "./problem.ts";
export { ProposalRow, ProposalView } from "./proposal-schema.ts";
export { AgentView } from "./route/agent-route.ts";
export { type QuestionContentView, QuestionView } from "./route/approval-route.ts";
export { SkillMetrics } from "./route/gateway-route.ts";
export { InstallPreview } from "./route/install-route.ts";
export { type NewCredential, type PasskeyAssertion, PasskeyView } from "./route/passkey-route.ts";
export { TokenView } from "./route/token-route.ts";
export {
  ActivityView,
  PeerView,
  PushResult,
  WorkspaceStatus,
  WorkspaceView,
} from "./route/workspace-route.ts";
export { everyone, type Route, type RouteContent, type RouteTag, route } from "./route.ts";
export { type ContentOperation, type Operation, type RouteTable, routeTable } from "./route-table.ts";
export {
  PublicationView as Publication,
  RevisionView,
  SkillDetail,
  SkillFacts,
  SkillFileView as SkillFile,
  SkillRow,
} from "./skill-schema.ts";
export {
  archiveTypes,
  ClientMessage,
  DependencyEvent,
  InstallProgressStep,
  ServerMessage,
} from "./socket.ts";
