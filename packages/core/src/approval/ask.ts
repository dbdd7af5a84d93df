import { type Limits, SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { Timers } from "../port.ts";
import type { ApprovalAnswer, ApprovalRequest, Asker } from "./approval.ts";
import { requestKey } from "./approval-key.ts";
import { summarizeRequest } from "./describe.ts";

/**
 * Asks a person. Anything but a timely answer permits nothing: no asker, silence, a failing asker, an invalid answer. The
 * asker's signal is aborted when its answer is no longer needed.
 */
export async function askInTime(
  request: ApprovalRequest,
  asker: Asker | undefined,
  { limits, timers, signal }: AskOptions,
): Promise<ApprovalAnswer> {
  if (asker === undefined) throw approvalRequired(request, "No approver is available");
  if (signal?.aborted === true) throw interrupted(request);
  const asking = new AbortController();
  const end = Promise.withResolvers<never>();
  const stop = () => end.reject(interrupted(request));
  const cancelTimer = timers.after(
    limits.approvalAnswerMs,
    () => end.reject(approvalRequired(request, "No answer arrived in time")),
    // The timer must not keep an idle process alive.
    { isBackground: true },
  );
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([answerOf(request, asker, asking.signal), end.promise]);
  } finally {
    cancelTimer();
    signal?.removeEventListener("abort", stop);
    asking.abort();
  }
}

export interface AskOptions {
  readonly limits: Pick<Limits, "approvalAnswerMs">;
  readonly timers: Timers;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects only with APPROVAL_REQUIRED, even if the asker throws synchronously. */
async function answerOf(
  request: ApprovalRequest,
  asker: Asker,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  let answer: ApprovalAnswer;
  try {
    answer = await asker.ask(request, signal);
  } catch (error) {
    if (error instanceof SkillError && error.code === "APPROVAL_PENDING") throw error;
    throw approvalRequired(request, "The request for approval failed", error);
  }
  if (!isAnswer(answer)) throw approvalRequired(request, "The answer is invalid");
  return answer;
}

/** The answer may come from a wire, so its type is checked. */
function isAnswer(answer: Partial<Record<string, unknown>> | undefined): boolean {
  if (typeof answer?.["by"] !== "string") return false;
  if (answer["answer"] === "deny") return true;
  const { scope, widen = [] } = answer;
  const isKnown = Array.isArray(widen) && widen.every((each) => each === "everyone" || each === "arguments");
  return answer["answer"] === "approve" && (scope === "once" || scope === "content") && isKnown;
}

/** The error carries the request and its key, so that the caller can ask a person and pass the approval. */
export function approvalRequired(request: ApprovalRequest, problem: string, cause?: unknown): SkillError {
  const { skill, treeHash, act, target, decision } = request;
  const message = `${problem}: approval is needed to ${summarizeRequest(request)}. ${neutralText(decision.reason)}`;
  const details = { skill, treeHash, act, target, rule: decision.rule, request, key: requestKey(request) };
  return new SkillError("APPROVAL_REQUIRED", message, { details, cause });
}

/** The question stays open after the call that asked; the same request finds its answer later. */
export function approvalPending(request: ApprovalRequest, link: string | undefined): SkillError {
  const { skill, treeHash, act, target } = request;
  const where = link === undefined ? "" : ` A person can approve it at ${link}.`;
  return new SkillError("APPROVAL_PENDING", `Waiting for approval to ${summarizeRequest(request)}.${where}`, {
    details: { skill, treeHash, act, target, request, key: requestKey(request) },
  });
}

export function interrupted(request: ApprovalRequest): SkillError {
  return new SkillError("INTERRUPTED", `Canceled before approval to ${summarizeRequest(request)}.`);
}
