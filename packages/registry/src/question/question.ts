import type { ApprovalAnswer, ApprovalRequest, ApprovalScope, Widening } from "@skillhold/core/approval";
import type { Actor, Digest, SkillEvent } from "@skillhold/protocol";
import type { Oversight } from "../ownership/oversight.ts";

/** A request that waits for a person's decision, in any process. */
export interface Question {
  readonly id: string;
  readonly askedAt: string;
  /** When it ends unanswered. */
  readonly expiresAt: string;
  readonly request: ApprovalRequest;
}

/** A person's answer. */
export type QuestionAnswer =
  | {
      readonly answer: "approve";
      readonly scope: ApprovalScope;
      readonly widen?: readonly Widening[] | undefined;
    }
  | { readonly answer: "deny" };

type AskedEvent = Extract<SkillEvent, { readonly type: "approval.asked" }>;

/** The event of a question; `questionOf` is its inverse. */
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
  const { type: _, at, question, expiresAt, hash, rule, reason, reasons, ...about } = event;
  const { origin, stdin, environment, requester = {}, ...rest } = about;
  const { agent, user } = requester;
  const request: ApprovalRequest = {
    ...rest,
    requester: { ...(agent === undefined ? {} : { agent }), ...(user === undefined ? {} : { user }) },
    treeHash: hash,
    decision: { verdict: "ask", rule, reason, reasons },
    ...(origin === undefined ? {} : { origin }),
    ...(environment === undefined ? {} : { environment }),
    ...(stdin === undefined ? {} : { stdin }),
  };
  return { id: question, askedAt: at, expiresAt, request };
}

/** The answer in the log; undefined for a withdrawn question. */
export function answerOf(event: AnsweredEvent): ApprovalAnswer | undefined {
  const { scope = "once", widen = [], answer } = event;
  const by = event.by.user;
  if (answer === "withdrawn") return undefined;
  return answer === "deny" ? { answer, by } : { answer, scope, widen, by };
}

type AnsweredEvent = Extract<SkillEvent, { readonly type: "approval.answered" }>;

/**
 * Whether the actor may answer a question. Installing packages, and approving for every agent and user, affect more than
 * one skill, so that only administrators decide on them.
 */
export async function mayAnswer(
  request: Asked & { readonly act: string },
  by: Actor,
  oversight: Oversight,
): Promise<boolean> {
  if (request.act === "install" && by.role !== "admin") return false;
  return await oversight.mayAnswer(contentOf(request), by);
}

/** The content that a question or an approval is about. */
export function contentOf<T extends Asked>({
  skill,
  treeHash,
}: T): {
  readonly skill: T["skill"];
  readonly hash: T["treeHash"];
} {
  return { skill, hash: treeHash };
}

interface Asked {
  readonly skill: string;
  readonly treeHash: Digest;
}
