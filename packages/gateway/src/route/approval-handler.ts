import type { Approval } from "@skillhold/core";
import type { Handlers } from "../http/handler.ts";
import { actorOf } from "../principal.ts";

export const approvalHandlers: Pick<Handlers, "listQuestions" | "answerQuestion" | "revokeApproval"> = {
  listQuestions: async (_call, { desk, approvals, registry }) => {
    const [questions, kept] = await Promise.all([desk.list(), approvals.list(registry.clock.now())]);
    return { data: { questions, approvals: kept.map(viewOf) } };
  },
  answerQuestion: async ({ params: { question }, body, principal }, { desk }) => {
    await desk.answer(question, body, actorOf(principal));
    return { data: { question, answer: body.answer } };
  },
  revokeApproval: async ({ params, principal }, { approvals, audit, registry }) => {
    const now = registry.clock.now();
    const kept = (await approvals.list(now)).find(({ id }) => id === params.approval);
    const wasThere = await approvals.remove(params.approval);
    if (wasThere && kept !== undefined) {
      const { id: approval, skill, target } = kept;
      const by = actorOf(principal);
      await audit.record({ type: "approval.revoked", at: now.toISOString(), by, approval, skill, target });
    }
    return { data: { wasThere } };
  },
};

/** Without the key: it is of use to nobody. */
function viewOf({ id, skill, treeHash, act, target, by, at, expiresAt }: Approval) {
  return { id, skill, treeHash, act, target, by, at, expiresAt };
}
