import type { Asker } from "@skillhold/core/approval";
import type { Actor } from "@skillhold/protocol";
import type { QuestionView } from "@skillhold/protocol/http";
import type { Question, QuestionAnswer, RegistryAsker } from "@skillhold/registry/question";

/** An open question as clients see it. */
export type QuestionRequest = Omit<QuestionView, "mayAnswer">;

/** Approval requests that wait for a person's answer, from every gateway of the registry. */
export interface ApprovalInbox extends Asker {
  /** Oldest first. */
  list(): Promise<readonly QuestionRequest[]>;
  answer(question: string, answer: QuestionAnswer, by: Actor): Promise<void>;
}

/** The approval requests of a registry: any gateway can answer a request of another gateway. */
export function registryInbox(
  asker: Pick<RegistryAsker, "ask" | "listQuestions" | "answerQuestion">,
): ApprovalInbox {
  return {
    ask: (request, signal) => asker.ask(request, signal),
    list: async () => (await asker.listQuestions()).map(viewOf),
    answer: async (question, answer, by) => {
      await asker.answerQuestion(question, answer, { by });
    },
  };
}

function viewOf({ id, askedAt, expiresAt, request }: Question): QuestionRequest {
  const { decision, origin, stdin, environment, ...rest } = request;
  return {
    id,
    askedAt,
    expiresAt,
    ...rest,
    ...(origin === undefined ? {} : { origin }),
    ...(environment === undefined ? {} : { environment }),
    ...(stdin === undefined ? {} : { stdin }),
    rule: decision.rule,
    reason: decision.reason,
  };
}
