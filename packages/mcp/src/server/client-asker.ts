import { AsyncLocalStorage } from "node:async_hooks";
import type { ApprovalAnswer, ApprovalRequest, Asker } from "@skillhold/core/approval";
import { SkillError } from "@skillhold/protocol/error";
import type { AskThroughClient, TellClient } from "./port.ts";
import { type Question, questionKey } from "./question.ts";

/** One call of a tool, as far as questions to the client's user go. */
export interface Exchange {
  /** Whether the client can put questions to its user. Most calls never ask. */
  readonly canAsk: () => boolean;
  /** The question that the client came back with, and what its user said; undefined when that is no answer. */
  readonly answered?: { readonly key: string; readonly answer: ApprovalAnswer | undefined };
  /** Told when someone else is asked, and again when they have answered. */
  readonly onWait?: (isWaiting: boolean) => void;
  /** What has to be asked before the call can go on. */
  question?: Question;
}

/**
 * Asks through the client, which calls the tool again with the answer: no revision of the protocol has more in common.
 * So a call that needs an answer fails, its question is kept, and the next call of the same kind is given the answer.
 */
export class ClientAsker {
  readonly #exchanges = new AsyncLocalStorage<Exchange>();

  /** What is asked while the work is done belongs to this exchange. */
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

  readonly waitFor: TellClient = (asker) => ({
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
    throw new SkillError("APPROVAL_REQUIRED", "The client has yet to ask its user.");
  }
  if (answered.answer !== undefined) return answered.answer;
  throw new SkillError("APPROVAL_REQUIRED", "The user of the client gave no answer.");
}
