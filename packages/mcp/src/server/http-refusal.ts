import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { errorTable, outsideWords, SkillError } from "@skillhold/protocol/error";

/** The code of the JSON-RPC specification for what a server makes of its own. */
const SERVER_ERROR = -32_000;

/** An answer to a request that reaches no server. */
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
      `The request is too large: ${most} bytes are read at most. Send less in one, such as the path of a file in place of its text.`,
    ),
  unreadable: () =>
    refuseRequest(400, "The request is not valid JSON.", { code: ProtocolErrorCode.ParseError }),
  noSession: () => refuseRequest(400, "A session id is needed: start with `initialize`."),
  unknownSession: () => refuseRequest(404, "There is no such session; start a new one."),
  noMethod: () =>
    refuseRequest(405, "Only GET, POST and DELETE are served here.", {
      headers: { Allow: "GET, POST, DELETE" },
    }),
  full: () =>
    refuseRequest(
      429,
      "There are too many sessions. End those that are not needed with DELETE, or try again after the time in Retry-After.",
      { headers: { "Retry-After": "30" } },
    ),
  closed: () =>
    refuseRequest(503, "The server is shutting down. Connect again when it has started.", {
      headers: { "Retry-After": "5" },
    }),
} as const;

/** What a host refused, with the status of the one table; what has no code is a bug, and is told to nobody. */
export function refuseFailure(error: unknown, onError: (error: unknown) => void): Response {
  if (error instanceof SkillError) {
    const { message, hint, isWhole } = outsideWords(error);
    if (!isWhole) onError(error);
    const { retryAfter } = error.details;
    const headers = typeof retryAfter === "number" ? { "Retry-After": String(retryAfter) } : {};
    return refuseRequest(errorTable[error.code].status, `${message} ${hint}`, { headers });
  }
  onError(error);
  return refuseRequest(500, "Internal error.", { code: ProtocolErrorCode.InternalError });
}
