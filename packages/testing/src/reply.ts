import type { ModelRequest } from "./model-request.ts";

/** A tool call of the model. `name` may be the bare name of a tool that the client lists with a prefix. */
export interface ScriptedCall {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** One answer of the fake model, in no vendor's terms. */
export type ModelReply =
  | {
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly usage?: { readonly input: number; readonly output: number };
      /** How many pieces the text is streamed in; 3 by default. */
      readonly chunks?: number;
    }
  /** An HTTP error in the vendor's own form. */
  | {
      readonly status: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection breaks: at once, or after the head of a stream. */
  | { readonly crash: true }
  /** The request stays open until the client or the server closes it. */
  | { readonly hang: true };

export type AnswerReply = Extract<ModelReply, { readonly text?: string }>;

/** Answers request number `index` (from 0). */
export type ModelScript = (request: ModelRequest, index: number) => ModelReply | Promise<ModelReply>;

/** Replies in order. A request after the last reply gets a 500 that says so. */
export function inOrder(replies: readonly ModelReply[]): ModelScript {
  return (_, index) => replies[index] ?? exhausted(`request ${index + 1}`);
}

/**
 * Replies by conversation, so that many can run in parallel: the first key that the first user message contains
 * chooses the list, and the number of assistant messages so far chooses the reply. The key "" matches all.
 */
export function byConversation(table: Readonly<Record<string, readonly ModelReply[]>>): ModelScript {
  return (request) => {
    const first = request.messages.find(({ role }) => role === "user")?.text ?? "";
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    const key = Object.keys(table).find((each) => first.includes(each));
    const list = key === undefined ? undefined : table[key];
    return (
      list?.[turn] ?? exhausted(`turn ${turn + 1} of the conversation ${JSON.stringify(first.slice(0, 80))}`)
    );
  };
}

function exhausted(what: string): ModelReply {
  return { status: 500, message: `The script has no reply for ${what}.` };
}
