export { splitAllowedTools } from "./allowed-tools.ts";
export { type Argv, readArgv, readCommandLine } from "./command-line.ts";
export { findPinProblem, matchCommand } from "./match-command.ts";
export { isInnerGlob, matchesPath, type PathPlaces } from "./path-pattern.ts";
export { defaultAliases, familyOf, type ToolAlias, type ToolAliases } from "./tool-alias.ts";
export {
  type AllowedTools,
  type CommandPattern,
  type NamedPattern,
  parseAllowedTools,
  type ToolPattern,
} from "./tool-pattern.ts";
