import type { IncomingMessage } from "node:http";
import type { ClientMessage } from "@skillhold/protocol/http";
import { clientAddress } from "../auth/client-address.ts";
import { CSRF_HEADER } from "../auth/csrf.ts";
import { unauthenticated } from "../auth/unauthenticated.ts";
import type { GatewayOptions } from "../gateway-context.ts";

type Hello = Extract<ClientMessage, { readonly method: "hello" }>["params"];

/** What of the request for the socket says something about those that are made over it. */
const kept = ["host", "origin", "user-agent", "x-forwarded-for", "sec-fetch-site"];

/** Someone who asked for a socket, from the request that they did so with. */
export class Visitor {
  readonly request: IncomingMessage;
  readonly headers: Headers;
  readonly address: string;
  readonly #cookie: string | undefined;
  readonly #isOwnPage: boolean;

  constructor(request: IncomingMessage, options: Pick<GatewayOptions, "isTls">) {
    this.request = request;
    const given = request.headers;
    this.headers = new Headers();
    for (const name of kept) {
      const value = given[name];
      if (typeof value === "string") this.headers.set(name, value);
    }
    this.address = clientAddress(this.headers, request.socket.remoteAddress, options);
    this.#cookie = given.cookie;
    const own = `${options.isTls ? "https" : "http"}://${given.host?.toLowerCase()}`;
    this.#isOwnPage = given.origin?.toLowerCase() === own;
  }

  /**
   * What they prove who they are with, as the headers of a request have it: a token of their own, or the cookie that a
   * page of this gateway, and of no other, may use.
   */
  credentials({ token, csrf }: Hello): Headers {
    const headers = new Headers(this.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${tokenOf(token)}`);
    else if (csrf !== undefined && this.#cookie !== undefined && this.#isOwnPage) {
      headers.set("cookie", this.#cookie);
      headers.set(CSRF_HEADER, tokenOf(csrf));
    }
    return headers;
  }
}

/** Nothing else can stand in a header, and no token has it. */
function tokenOf(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw unauthenticated(true);
}
