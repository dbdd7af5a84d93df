import { type Approval, revokeApproval } from "@skillhold/core/approval";
import { SkillError } from "@skillhold/protocol/error";
import { readQuestionContent } from "../approval/question-content.ts";
import { principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";

type ApprovalOperation = "listQuestions" | "getQuestionContent" | "answerQuestion" | "revokeApproval";

export const approvalHandlers: Pick<Handlers, ApprovalOperation> = {
  listQuestions: async (_call, { inbox, approvals, registry }) => {
    const [questions, kept] = await Promise.all([inbox.list(), approvals.list(registry.clock.now())]);
    return { data: { questions, approvals: kept.map(viewOf) } };
  },
  getQuestionContent: async ({ params, principal }, context) => {
    const question = (await context.inbox.list()).find(({ id }) => id === params.question);
    if (question === undefined)
      throw new SkillError("QUESTION_NOT_FOUND", "The question does not exist or is no longer open.");
    const { view, served } = await readQuestionContent(question, principal, context);
    return { data: view, served };
  },
  answerQuestion: async ({ params: { question }, body, principal }, { inbox }) => {
    await inbox.answer(question, body, principalActor(principal));
    return { data: { question, answer: body.answer } };
  },
  revokeApproval: async ({ params, principal }, { approvals, audit, registry }) => {
    const { clock } = registry;
    const kept = (await approvals.list(clock.now())).find(({ id }) => id === params.approval);
    // An expired approval is treated as missing and stays stored: a removal without an audit event is not allowed.
    if (kept === undefined) return { data: { wasThere: false } };
    const by = principalActor(principal);
    return { data: { wasThere: await revokeApproval(kept, { by }, { approvals, audit, clock }) } };
  },
};

/** Without the key, which clients do not need. */
function viewOf({ key: _, ...approval }: Approval) {
  return approval;
}
