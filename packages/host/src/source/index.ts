export { chooseFolders, type FolderChoice } from "./folder-source.ts";
export {
  type GatewayLayerSettings,
  gatewayCacheFolder,
  openGatewayLayers,
} from "./gateway-layer.ts";
export { revokeChangedRemotes } from "./mcp-approval.ts";
export { chooseMcpSources, isRemote, labelOf, type McpChoice, showServer, showWord } from "./mcp-source.ts";
export { readSources, writeSources } from "./mcp-source-file.ts";
export { type McpLayer, type McpLayerOptions, openMcpLayers } from "./mcp-source-layer.ts";
