import type { QuestionView } from "@skillhold/protocol/http";
import type { Question, QuestionDesk } from "@skillhold/registry/question";
import type { ApprovalDesk } from "./approval-desk.ts";

/** The desk of a registry: what is asked at one gateway can be answered at every other. */
export function registryDesk(
  desk: Pick<QuestionDesk, "ask" | "listQuestions" | "answerQuestion">,
): ApprovalDesk {
  return {
    ask: (request, signal) => desk.ask(request, signal),
    list: async () => (await desk.listQuestions()).map(viewOf),
    answer: async (question, answer, by) => {
      await desk.answerQuestion(question, answer, { by });
    },
  };
}

function viewOf({ id, askedAt, expiresAt, request }: Question): QuestionView {
  const { decision, origin, stdin, ...asked } = request;
  return {
    id,
    askedAt,
    expiresAt,
    ...asked,
    ...(origin === undefined ? {} : { origin }),
    ...(stdin === undefined ? {} : { stdin }),
    rule: decision.rule,
    reason: decision.reason,
  };
}
