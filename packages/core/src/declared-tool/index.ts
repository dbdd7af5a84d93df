export {
  type DeclaredTools,
  type DeclaredToolsPorts,
  openDeclaredTools,
  type ToolSettings,
  type ToolSkill,
} from "./declared-tools.ts";
export {
  type DeclaredTool,
  knownTools,
  MemoryToolCatalogueCache,
  type ToolCatalogue,
  type ToolCatalogueCache,
} from "./tool-catalogue.ts";
export { openToolHost, type ToolHost } from "./tool-host.ts";
export type { ToolHostPorts, ToolHostSpec, ToolLanguage, ToolTiming } from "./tool-host-spec.ts";
export type { JsonSchema, ListedTool, ToolListing, ToolProblem } from "./tool-listing.ts";
export { declaredToolName, declaredToolNames } from "./tool-name.ts";
export type { ToolCallOptions } from "./tool-process.ts";
