import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { errorTable, publicMessage, SkillError } from "@skillhold/protocol/error";

/** The JSON-RPC code for implementation-defined server errors. */
const SERVER_ERROR = -32_000;

/** The response to a request that does not reach a server. */
export function refuseRequest(status: number, message: string, options: RefusalOptions = {}): Response {
  const { code = SERVER_ERROR, headers = {} } = options;
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}

export interface RefusalOptions {
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refusals = {
  notJson: () => refuseRequest(415, "The Content-Type must be application/json."),
  tooLarge: (most: number) =>
    refuseRequest(
      413,
      `The request is larger than ${most} bytes. Send less data, for example the path of a file instead of its text.`,
    ),
  unreadable: () =>
    refuseRequest(400, "The request is not valid JSON.", { code: ProtocolErrorCode.ParseError }),
  noSession: () => refuseRequest(400, "The session id is missing. Start with `initialize`."),
  unknownSession: () => refuseRequest(404, "There is no such session. Start a new one with `initialize`."),
  noMethod: () =>
    refuseRequest(405, "Only GET, POST and DELETE are supported.", {
      headers: { Allow: "GET, POST, DELETE" },
    }),
  full: () =>
    refuseRequest(
      429,
      "There are too many sessions. Close unused sessions with DELETE, or retry after the time in Retry-After.",
      { headers: { "Retry-After": "30" } },
    ),
  closed: () =>
    refuseRequest(503, "The server is shutting down. Reconnect when it is running again.", {
      headers: { "Retry-After": "5" },
    }),
} as const;

/** The response for an error of the host, with the status from the error table. An error without a code is a bug: it is logged, and not shown. */
export function refuseFailure(error: unknown, onError: (error: unknown) => void): Response {
  if (error instanceof SkillError) {
    const { message, hint, isWhole } = publicMessage(error);
    if (!isWhole) onError(error);
    const { retryAfter } = error.details;
    const headers = typeof retryAfter === "number" ? { "Retry-After": String(retryAfter) } : {};
    return refuseRequest(errorTable[error.code].status, `${message} ${hint}`, { headers });
  }
  onError(error);
  return refuseRequest(500, "Internal error.", { code: ProtocolErrorCode.InternalError });
}
