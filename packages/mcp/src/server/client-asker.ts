import { AsyncLocalStorage } from "node:async_hooks";
import type { ApprovalAnswer, ApprovalRequest, Asker } from "@skillhold/core/approval";
import { SkillError } from "@skillhold/protocol/error";
import type { AskThroughClient, NotifyClient } from "./port.ts";
import { type ClientQuestion, questionKey } from "./question.ts";

/** The approval state of one tool call. */
export interface Exchange {
  /** Whether the client can ask its user. A function, because most calls never ask. */
  readonly canAsk: () => boolean;
  /** The question that the client returned, with its user's answer; undefined when there is no valid answer. */
  readonly answered?: { readonly key: string; readonly answer: ApprovalAnswer | undefined };
  /** Called when another person is asked, and when they have answered. */
  readonly onWait?: (isWaiting: boolean) => void;
  /** The question that the call needs answered. */
  question?: ClientQuestion;
}

/**
 * Asks through the client, which calls the tool again with the answer, because all protocol revisions support that. A call
 * that needs an answer fails and stores its question; the repeated call gets the answer.
 */
export class ClientAsker {
  readonly #exchanges = new AsyncLocalStorage<Exchange>();

  /** Questions during the work belong to this exchange. */
  during<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
    return this.#exchanges.run(exchange, work);
  }

  readonly over: AskThroughClient = (otherwise?: Asker): Asker => ({
    ask: async (request, signal) => {
      const exchange = this.#exchanges.getStore();
      if (exchange?.canAsk() === true) return answerOf(request, exchange);
      if (otherwise !== undefined) return await this.waitFor(otherwise).ask(request, signal);
      throw new SkillError("APPROVAL_REQUIRED", "The client cannot ask its user.");
    },
  });

  readonly waitFor: NotifyClient = (asker) => ({
    ask: async (request, signal) => {
      const { onWait } = this.#exchanges.getStore() ?? {};
      onWait?.(true);
      try {
        return await asker.ask(request, signal);
      } finally {
        onWait?.(false);
      }
    },
  });
}

function answerOf(request: ApprovalRequest, exchange: Exchange): ApprovalAnswer {
  const key = questionKey(request);
  const { answered } = exchange;
  if (answered?.key !== key) {
    exchange.question = { key, request };
    throw new SkillError("APPROVAL_REQUIRED", "The user of the client must approve this call first.");
  }
  if (answered.answer !== undefined) return answered.answer;
  throw new SkillError("APPROVAL_REQUIRED", "The user of the client did not answer.");
}
