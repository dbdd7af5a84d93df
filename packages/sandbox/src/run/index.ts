export { findConfig } from "./find-config.ts";
export { openRunner } from "./open-runner.ts";
export { systemRuns } from "./system-run.ts";
export { ToolSets } from "./tool-set.ts";
