export { splitAllowedTools } from "./allowed-tools.ts";
export {
  type Argv,
  type CommandProblem,
  type CommandProblemCode,
  type CommandReading,
  readArgv,
  readCommandLine,
} from "./command-line.ts";
export { decide, explainDecision, explainPolicy } from "./decide.ts";
export { type EscapeRow, escapeTable } from "./escape-table.ts";
export { type LauncherRow, launcherTable, type Pin } from "./launcher-table.ts";
export { type CommandMatch, findPinProblem, matchCommand } from "./match-command.ts";
export { ownerPrefix } from "./owner-prefix.ts";
export { matchesPath, type PathPlaces } from "./path-pattern.ts";
export type { Act, Decision, PolicyRequest, Verdict } from "./policy.ts";
export type { Condition, PolicyRow } from "./rule-table.ts";
export { defaultRules, type Rules, type TierVerdicts, tiers } from "./rules.ts";
export { defaultAliases, type ToolAlias, type ToolAliases } from "./tool-alias.ts";
export {
  type ActiveGrant,
  type BlockedCall,
  exemptTools,
  type GuardOptions,
  guardToolCall,
  type ToolCall,
  type ToolVerdict,
} from "./tool-guard.ts";
export {
  type AllowedTools,
  type CommandPattern,
  type PatternProblem,
  parseAllowedTools,
  parseToolPattern,
  type ToolPattern,
} from "./tool-pattern.ts";
