export { findHeaderProblem, isSecretHeader } from "./header.ts";
export { forgetMcpSource, McpLibrary, type McpState, openMcpLibrary } from "./mcp-library.ts";
export { isSourceLabel, type McpPorts, type McpSource, sourceLabel } from "./mcp-source.ts";
export { type RefusalCode, refusalOf, refusalTable } from "./refusal.ts";
export type { HttpServer, ServerAddress, StdioServer } from "./server-address.ts";
export { findSkillUriProblem } from "./skill-uri.ts";
export {
  findUrlProblem,
  readSourceList,
  SourceSettings,
  serverOf,
  writeSourceList,
} from "./source-settings.ts";
export type { VerifiedSkill } from "./verify-skills.ts";
