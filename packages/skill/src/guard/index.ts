export { allowedByManifest, type CapabilityAnswer, type CapabilityRequest } from "./allowed.ts";
export { findIncoherence } from "./coherence.ts";
export type {
  GuardFinding,
  GuardLimitation,
  GuardReport,
  GuardSeverity,
  GuardVerdict,
  Incoherence,
} from "./finding.ts";
export { sortFindings, verdictOf } from "./finding.ts";
export type { GuardFile, GuardScan, GuardScanOptions } from "./guard-scan.ts";
export { findHidden, isConfusable, skeleton, visibleText } from "./hidden-text.ts";
export {
  findUrls,
  hostOf,
  isDropHost,
  isImpostorHost,
  isIpHost,
  isKnownBadHost,
  isLocalHost,
  isPasteHost,
  isPlaceholderHost,
  isShortener,
  sourceTrust,
} from "./host.ts";
export {
  type CapabilityManifest,
  describeManifest,
  emptyManifest,
  type GuardPlace,
  ManifestBuilder,
} from "./manifest.ts";
export { type CapabilityChange, type CapabilityDiff, diffManifests, formatChange } from "./manifest-diff.ts";
export { type MarkdownParts, splitMarkdown } from "./markdown-part.ts";
export { matchRule } from "./match.ts";
export { followedFiles, placeOf, type TextPlace } from "./place.ts";
export type { CheckRule } from "./rule.ts";
export { type CheckRuleId, checkRules, GUARD_ENGINE, guardRules, tokenRules } from "./rule-table.ts";
export { applyWaivers, unwaivableRules, type Waiver } from "./waiver.ts";
