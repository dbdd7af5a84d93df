export { type OutputPruning, pruneOutputs } from "./output-folder.ts";
export { findConfig, openRunner, systemRuns } from "./system-run.ts";
export { ToolSets } from "./tool-set.ts";
