export { decide, explainDecision, explainPolicy } from "./decide.ts";
export { ownerPrefix } from "./owner-prefix.ts";
export type { Act, Decision, PolicyRequest, Verdict } from "./policy.ts";
export type { Condition, PolicyRow } from "./rule-table.ts";
export { defaultRules, type Rules, type TierVerdicts, tiers } from "./rules.ts";
export {
  type ActiveGrant,
  type AskedCall,
  type BlockedCall,
  exemptTools,
  type GuardOptions,
  guardToolCall,
  type ToolCall,
  type ToolVerdict,
} from "./tool-guard.ts";
