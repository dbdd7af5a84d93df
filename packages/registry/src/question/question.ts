import type { ApprovalRequest, ApprovalScope } from "@skillhold/core/approval";
import type { Actor, SkillEvent } from "@skillhold/protocol";

/** A request that waits for a person, in whichever process it was made. */
export interface Question {
  readonly id: string;
  readonly askedAt: string;
  /** From here on nobody waits for the answer. */
  readonly expiresAt: string;
  readonly request: ApprovalRequest;
}

/** What a person says to it. */
export type QuestionAnswer =
  | { readonly answer: "approve"; readonly scope: ApprovalScope }
  | { readonly answer: "deny" };

type AskedEvent = Extract<SkillEvent, { readonly type: "approval.asked" }>;

/** A question as it is recorded; `questionOf` makes the same of it again. */
export function askedEvent({ id, askedAt, expiresAt, request }: Question): AskedEvent {
  const { treeHash, decision, stdin, ...rest } = request;
  const { rule, reason, reasons } = decision;
  return {
    type: "approval.asked",
    at: askedAt,
    question: id,
    expiresAt,
    ...rest,
    hash: treeHash,
    rule,
    reason,
    reasons,
    ...(stdin === undefined ? {} : { stdin }),
  };
}

export function questionOf(event: AskedEvent): Question {
  const { type: _, at, question, expiresAt, hash, rule, reason, reasons, origin, stdin, ...rest } = event;
  const request: ApprovalRequest = {
    ...rest,
    treeHash: hash,
    decision: { verdict: "ask", rule, reason, reasons },
    ...(origin === undefined ? {} : { origin }),
    ...(stdin === undefined ? {} : { stdin }),
  };
  return { id: question, askedAt: at, expiresAt, request };
}

/** An agent that could answer would approve what it asks for. */
export function mayAnswer({ role, agent }: Actor): boolean {
  return role === "admin" && agent === undefined;
}
