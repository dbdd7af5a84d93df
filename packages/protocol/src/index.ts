export { Diagnostic, Severity } from "./diagnostic.ts";
export { Readiness, ReadinessState, Requirements, SkillEntry, SkillType } from "./entry.ts";
export { type ErrorCode, type ErrorRow, errorTable, SkillError, type SkillErrorOptions } from "./error.ts";
export { RunOutcome, SkillEvent } from "./event.ts";
export { Digest, SkillId, Trust, trustReasons } from "./id.ts";
export {
  defaultLimits,
  type LimitName,
  type LimitRow,
  type Limits,
  limitTable,
  withLimits,
} from "./limits.ts";
export { ProposalDecision, ProposalKind, ProposalOrigin, ProposalState } from "./proposal.ts";
export {
  type EvidenceNote,
  NewSkillInput,
  PromotionInput,
  readEvidence,
  SkillUpdateInput,
} from "./proposal-input.ts";
export {
  Actor,
  AuditKey,
  Provenance,
  SignInMethod,
  SkillStatus,
  TokenKind,
  Visibility,
} from "./registry-event.ts";
export { Role, SignInRole } from "./role.ts";
export { DeliveryState, WebhookTopic } from "./webhook.ts";
