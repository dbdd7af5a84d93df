import type { ModelApi, ModelRequest } from "./model-request.ts";
import type { AnswerReply } from "./reply.ts";

/** One event of a server-sent stream; `data` is sent as JSON unless it is a string. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** A reply with everything decided that the script left open. */
export interface WireReply {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly pieces: readonly string[];
  readonly calls: readonly WireCall[];
  readonly usage: { readonly input: number; readonly output: number };
}

export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One vendor's API: how its requests are read and its replies are written. */
export interface Wire {
  readonly api: ModelApi;
  matches(path: string): boolean;
  read(
    body: Readonly<Record<string, unknown>>,
    path: string,
  ): Omit<ModelRequest, "api" | "path" | "headers" | "body">;
  reply(reply: WireReply): unknown;
  stream(reply: WireReply): readonly StreamEvent[];
  error(status: number, message: string): unknown;
}

const DEFAULT_PIECES = 3;

/** The text in pieces of equal length; at least one, so that an empty text is streamed too. */
export function cutText(
  text: string,
  { chunks = DEFAULT_PIECES }: Pick<AnswerReply, "chunks">,
): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, chunks)));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces.length === 0 ? [""] : pieces;
}
