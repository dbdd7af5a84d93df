import { type Approval, revokeApproval } from "@skillhold/core/approval";
import { SkillError } from "@skillhold/protocol/error";
import { listApprovers, Oversight, setApprovers } from "@skillhold/registry/access";
import { contentOf, mayAnswer } from "@skillhold/registry/question";
import type { QuestionRequest } from "../approval/approval-inbox.ts";
import { readQuestionContent } from "../approval/question-content.ts";
import { type Principal, principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";

type ApprovalOperation =
  | "listQuestions"
  | "getQuestionContent"
  | "answerQuestion"
  | "revokeApproval"
  | "listApprovers"
  | "putApprovers";

/** Every handler uses `Oversight`: a question or an approval of a skill that the caller does not oversee does not exist. */
export const approvalHandlers: Pick<Handlers, ApprovalOperation> = {
  listQuestions: async ({ principal }, { inbox, approvals, registry: { store, clock } }) => {
    const [by, oversight] = [principalActor(principal), new Oversight(store)];
    const [open, kept] = await Promise.all([inbox.list(), approvals.list(clock.now())]);
    const questions = [];
    for (const question of open) {
      if (!(await oversight.maySee(contentOf(question), by))) continue;
      const may = (await mayAnswer(question, by, oversight)) && !isOwnRequest(question, principal);
      questions.push({ ...question, mayAnswer: may });
    }
    const valid = [];
    for (const approval of kept)
      if (await oversight.maySee(contentOf(approval), by))
        valid.push({ ...viewOf(approval), mayRevoke: await mayAnswer(approval, by, oversight) });
    return { data: { questions, approvals: valid } };
  },
  getQuestionContent: async ({ params, principal }, context) => {
    const question = await findQuestion(params.question, principal, context);
    if (question === undefined)
      throw new SkillError("QUESTION_NOT_FOUND", "The question does not exist or is no longer open.");
    const { view, served } = await readQuestionContent(question, principal, context);
    return { data: view, served };
  },
  answerQuestion: async ({ params, body, principal }, context) => {
    const question = await findQuestion(params.question, principal, context);
    if (question !== undefined && isOwnRequest(question, principal))
      throw new SkillError("POLICY_DENIED", "A token cannot answer a request of its own user.", {
        hint: "Sign in to the console to answer it.",
      });
    await context.inbox.answer(params.question, body, principalActor(principal));
    return { data: { question: params.question, answer: body.answer } };
  },
  revokeApproval: async ({ params, principal }, { approvals, audit, registry: { store, clock } }) => {
    const [by, oversight] = [principalActor(principal), new Oversight(store)];
    const kept = (await approvals.list(clock.now())).find(({ id }) => id === params.approval);
    // An expired approval is treated as missing and stays stored: a removal without an audit event is not allowed.
    if (kept === undefined || !(await oversight.maySee(contentOf(kept), by)))
      return { data: { wasThere: false } };
    if (!(await mayAnswer(kept, by, oversight)))
      throw new SkillError("POLICY_DENIED", "You are not an approver of this skill.", {
        hint: "Ask an administrator or an approver of the skill.",
      });
    return { data: { wasThere: await revokeApproval(kept, { by }, { approvals, audit, clock }) } };
  },
  listApprovers: async ({ params, principal }, { registry }) => ({
    data: await listApprovers(params.id, { by: principalActor(principal) }, registry),
  }),
  putApprovers: async ({ params, body, principal }, { registry }) => ({
    data: await setApprovers(params.id, body.approvers, { by: principalActor(principal) }, registry),
  }),
};

async function findQuestion(
  wanted: string,
  principal: Principal,
  { inbox, registry: { store } }: Pick<CatalogueContext, "inbox" | "registry">,
): Promise<QuestionRequest | undefined> {
  const question = (await inbox.list()).find(({ id }) => id === wanted);
  if (question === undefined) return undefined;
  const isSeen = await new Oversight(store).maySee(contentOf(question), principalActor(principal));
  return isSeen ? question : undefined;
}

/** Whether the program that answers may be the one that asked. An agent could use the token of its user. */
function isOwnRequest({ requester }: QuestionRequest, { role, kind, user }: Principal): boolean {
  return role !== "admin" && kind === "api" && requester.agent === undefined && requester.user === user;
}

/** Without the key, which clients do not need. */
function viewOf({ key: _, ...approval }: Approval) {
  return approval;
}
