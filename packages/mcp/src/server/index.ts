export { instructionsFor } from "./catalogue.ts";
export { type ConnectionOptions, McpConnection } from "./connection.ts";
export { type Caller, type McpHandler, type McpHandlerOptions, mcpHandler } from "./http-handler.ts";
export { type McpServerOptions, mcpServer } from "./mcp-server.ts";
export {
  type AskThroughClient,
  defaultCache,
  type McpSkills,
  type NotifyClient,
  type ObservedCall,
  type ServedCache,
} from "./port.ts";
export { type UnservedSkill, unservable } from "./served-skill.ts";
export { type StdioOptions, serveMcpStdio } from "./stdio.ts";
