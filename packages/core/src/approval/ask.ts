import { type Limits, SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { ApprovalAnswer, ApprovalRequest, Asker } from "./approval.ts";
import { summarizeRequest } from "./describe.ts";

/**
 * Puts a question to a person. Whatever is not an answer in time is a no: nobody to ask, silence, an asker that
 * fails, an answer that is none. The asker's signal is aborted when its answer is no longer waited for.
 */
export async function askInTime(
  request: ApprovalRequest,
  asker: Asker | undefined,
  limits: Pick<Limits, "approvalAnswerMs">,
  signal?: AbortSignal,
): Promise<ApprovalAnswer> {
  if (asker === undefined) throw required(request, "There is nobody to ask");
  if (signal?.aborted === true) throw interrupted(request);
  const asking = new AbortController();
  const end = Promise.withResolvers<never>();
  const stop = () => end.reject(interrupted(request));
  const timer = setTimeout(
    () => end.reject(required(request, "Nobody answered in time")),
    limits.approvalAnswerMs,
  );
  // A process that has nothing else to do need not live on for an answer.
  timer.unref();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([answerOf(request, asker, asking.signal), end.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    asking.abort();
  }
}

/** Rejects with nothing but APPROVAL_REQUIRED, also where the asker throws at once. */
async function answerOf(
  request: ApprovalRequest,
  asker: Asker,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  let answer: ApprovalAnswer;
  try {
    answer = await asker.ask(request, signal);
  } catch (error) {
    throw required(request, "Asking for it failed", error);
  }
  if (!isAnswer(answer)) throw required(request, "What came back is not an answer");
  return answer;
}

/** An answer may have come over a wire, so that its type alone proves nothing. */
function isAnswer(answer: Partial<Record<string, unknown>> | undefined): boolean {
  if (typeof answer?.["by"] !== "string") return false;
  if (answer["answer"] === "deny") return true;
  return answer["answer"] === "approve" && (answer["scope"] === "once" || answer["scope"] === "content");
}

function required(request: ApprovalRequest, problem: string, cause?: unknown): SkillError {
  const { skill, treeHash, act, target, decision } = request;
  const message = `${problem}: approval is needed to ${summarizeRequest(request)}. ${neutralText(decision.reason)}`;
  const details = { skill, treeHash, act, target, rule: decision.rule };
  return new SkillError("APPROVAL_REQUIRED", message, { details, cause });
}

export function interrupted(request: ApprovalRequest): SkillError {
  return new SkillError(
    "INTERRUPTED",
    `It was called off before anyone approved to ${summarizeRequest(request)}.`,
  );
}
