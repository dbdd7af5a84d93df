import type { Decision, PolicyRequest } from "./policy.ts";
import { type Condition, type PolicyRow, policyTable } from "./rule-table.ts";
import { defaultRules, isGraver, type Rules } from "./rules.ts";

/**
 * Decides by the table: the strictest verdict of all matching rows, named after the first row with it. An act without
 * a matching base row is denied.
 */
export function decide(request: PolicyRequest, rules: Rules = defaultRules): Decision {
  const rows = explainDecision(request, rules);
  if (!rows.some(({ part }) => part === "base")) return NOTHING_MATCHES;
  const { verdict, id, reason } = rows.reduce((gravest, row) =>
    isGraver(row.verdict, gravest.verdict) ? row : gravest,
  );
  const reasons = rows.filter((row) => row.verdict === verdict).map((row) => row.reason);
  return { verdict, rule: id, reason, reasons };
}

/** All matching rows, in table order. */
export function explainDecision(request: PolicyRequest, rules: Rules = defaultRules): readonly PolicyRow[] {
  return policyTable(rules).filter(({ when }) => holds(when, request));
}

/** The whole policy for display. */
export function explainPolicy(rules: Rules = defaultRules): readonly PolicyRow[] {
  return policyTable(rules);
}

const NOTHING_MATCHES: Decision = {
  verdict: "deny",
  rule: "nothing-matches",
  reason: "No rule permits it.",
  reasons: ["No rule permits it."],
};

function holds(when: Condition, request: PolicyRequest): boolean {
  return (
    isOneOf(when.act, request.act) &&
    isOneOf(when.trust, request.trust) &&
    isOneOf(when.network, request.network) &&
    isOneOf(when.mounts, request.mounts) &&
    isSame(when.hasSecrets, request.hasSecrets) &&
    isSame(when.isUnsandboxed, request.isUnsandboxed) &&
    isSame(when.mayRunUnsandboxed, request.mayRunUnsandboxed)
  );
}

function isOneOf<Value>(wanted: readonly Value[] | undefined, value: Value): boolean {
  return wanted === undefined || wanted.includes(value);
}

function isSame(wanted: boolean | undefined, value: boolean): boolean {
  return wanted === undefined || wanted === value;
}
