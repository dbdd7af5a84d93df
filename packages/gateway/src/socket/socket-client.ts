import type { IncomingMessage } from "node:http";
import type { ClientMessage } from "@skillhold/protocol/http";
import { unauthenticated } from "../auth/authentication.ts";
import { clientAddress } from "../auth/client-address.ts";
import { CSRF_HEADER } from "../auth/csrf.ts";
import type { GatewayOptions } from "../gateway-context.ts";
import { WORKSPACE_HEADER } from "./workspace-envelope.ts";

type Hello = Extract<ClientMessage, { readonly method: "hello" }>["params"];

/** Headers of the upgrade request that also apply to calls over the socket. */
const forwardedHeaders = ["host", "origin", "user-agent", "x-forwarded-for", "sec-fetch-site"];

/** The client of a socket, from its upgrade request. */
export class SocketClient {
  readonly request: IncomingMessage;
  readonly headers: Headers;
  readonly address: string;
  /** The workspace that asks for envelopes. */
  readonly workspace: string | undefined;
  readonly #cookie: string | undefined;
  readonly #isOwnPage: boolean;

  constructor(request: IncomingMessage, options: Pick<GatewayOptions, "isTls">) {
    this.request = request;
    const given = request.headers;
    this.headers = new Headers();
    for (const name of forwardedHeaders) {
      const value = given[name];
      if (typeof value === "string") this.headers.set(name, value);
    }
    this.address = clientAddress(this.headers, request.socket.remoteAddress, options);
    const workspace = given[WORKSPACE_HEADER];
    this.workspace = typeof workspace === "string" ? workspace : undefined;
    this.#cookie = given.cookie;
    const own = `${options.isTls ? "https" : "http"}://${given.host?.toLowerCase()}`;
    this.#isOwnPage = given.origin?.toLowerCase() === own;
  }

  /** The credentials of a workspace, which authenticates with the header of its upgrade. Browsers cannot set it. */
  workspaceCredentials(): Headers {
    const headers = new Headers(this.headers);
    const { authorization } = this.request.headers;
    if (authorization !== undefined) headers.set("authorization", authorization);
    return headers;
  }

  /** The credentials as request headers: a token, or the session cookie when the page is the gateway's own. */
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

/** Rejects characters that are invalid in a header. */
function tokenOf(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw unauthenticated(true);
}
