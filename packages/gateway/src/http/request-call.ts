import type { Operation } from "@skillhold/protocol/http";
import type { Authenticated } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import type { Words } from "./read-call.ts";

export interface CallParts {
  readonly operation: Operation;
  readonly request: Request;
  readonly requestId: string;
  readonly words: Words;
  readonly body: unknown;
  readonly found: Authenticated | undefined;
}

/** A request as handlers are given it, whichever operation it is for. */
export class RequestCall {
  readonly operation: Operation;
  readonly params: object;
  readonly query: object;
  readonly words: string;
  readonly body: unknown;
  readonly principal: Principal | undefined;
  readonly seen: number | undefined;
  readonly headers: Headers;
  readonly requestId: string;
  readonly isHead: boolean;
  readonly #request: Request;

  constructor({ operation, request, requestId, words, body, found }: CallParts) {
    this.operation = operation;
    this.params = words.params;
    this.query = words.query;
    this.words = words.text;
    this.body = body;
    this.principal = found?.principal;
    this.seen = found?.seen;
    this.headers = request.headers;
    this.requestId = requestId;
    this.isHead = request.method === "HEAD";
    this.#request = request;
  }

  /** Made only for those who look at it: most are answered before anyone could go away. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}
