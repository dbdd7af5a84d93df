export {
  type DeclaredTools,
  type DeclaredToolsPorts,
  openDeclaredTools,
  type ToolSettings,
  type ToolSkill,
} from "./declared-tools.ts";
export { cachedTools, MemoryToolCatalogueCache } from "./tool-catalogue.ts";
export { toolNotFound } from "./tool-failure.ts";
export { openToolHost, type ToolHost } from "./tool-host.ts";
export type { ToolHostPorts, ToolHostSpec, ToolLanguage, ToolTiming } from "./tool-host-spec.ts";

export { declaredToolName, declaredToolNames } from "./tool-name.ts";
export type { ToolCallOptions } from "./tool-process.ts";
