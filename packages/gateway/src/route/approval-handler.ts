import { type Approval, revokeApproval } from "@skillhold/core/approval";
import { principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";

export const approvalHandlers: Pick<Handlers, "listQuestions" | "answerQuestion" | "revokeApproval"> = {
  listQuestions: async (_call, { inbox, approvals, registry }) => {
    const [questions, kept] = await Promise.all([inbox.list(), approvals.list(registry.clock.now())]);
    return { data: { questions, approvals: kept.map(viewOf) } };
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
