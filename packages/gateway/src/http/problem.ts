import { errorTable, publicMessage, SkillError } from "@skillhold/protocol/error";
import type { Problem } from "@skillhold/protocol/http";
import { diskFull, isDiskFull } from "@skillhold/registry/record";
import type { GatewayContext } from "../gateway-context.ts";
import { securityHeaders } from "./response.ts";

/**
 * An error as the client sees it, as problem details of RFC 9457. A bug is reported without its message, and an internal
 * failure without paths. Contract: the caller logs a status of 500 or more with the request id.
 */
export function problemOf(error: unknown, requestId: string): Problem {
  const failure = failureOf(error);
  const code = failure?.code ?? "INTERNAL";
  const shown = failure && publicMessage(failure);
  const details = failure !== undefined && shown?.isWhole === true ? jsonDetails(failure.details) : {};
  return {
    type: `urn:skillhold:error:${code}`,
    title: titleOf(code),
    status: errorTable[code].status,
    detail: shown?.message ?? "An internal error occurred in the gateway.",
    code,
    hint: shown?.hint ?? "Report the request id. The gateway's log has the details.",
    requestId,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

/** A full disk is the same failure for clients, whatever noticed it. Undefined for a bug. */
function failureOf(error: unknown): SkillError | undefined {
  if (isDiskFull(error)) return diskFull("A disk of the gateway", error);
  return error instanceof SkillError ? error : undefined;
}

function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

type Json = NonNullable<Problem["details"]>;

const MAX_DETAILS = 16_384;

/** Drops details that are not JSON or too long. */
function jsonDetails(details: SkillError["details"]): Json {
  try {
    const text = JSON.stringify(details);
    return text.length > MAX_DETAILS ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

/** States that probes ask about, and no failures: a probe every second would fill the log. */
const EXPECTED: ReadonlySet<string> = new Set(["STARTING", "SHUTTING_DOWN"]);

/** The response to a failed request. An error of the gateway itself is also logged. */
export function problemResponse(
  error: unknown,
  requestId: string,
  { log }: Pick<GatewayContext, "log">,
): Response {
  const problem = problemOf(error, requestId);
  if (problem.status >= 500 && !EXPECTED.has(problem.code))
    log({ level: "error", event: "request.failed", requestId, error, message: problem.detail });
  const headers = problemHeaders(error, requestId);
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

export function problemHeaders(error: unknown, requestId: string): Readonly<Record<string, string>> {
  return {
    ...securityHeaders,
    "cache-control": "no-store",
    "content-type": "application/problem+json",
    "x-request-id": requestId,
    ...codeHeaders(error),
  };
}

/** Headers that HTTP requires beside a status. */
function codeHeaders(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof SkillError)) return {};
  const { code, details } = error;
  if (code === "UNAUTHENTICATED") return { "www-authenticate": 'Bearer realm="skillhold"' };
  if (code === "RATE_LIMITED") return { "retry-after": String(details["retryAfter"] ?? 1) };
  if (code === "RANGE_REFUSED") return { "content-range": `bytes */${details["size"]}` };
  if (code === "METHOD_NOT_ALLOWED") return { allow: String(details["allow"] ?? "") };
  // With "upgrade" alone Node keeps the connection open even when the client asked to close it.
  if (code === "UPGRADE_REQUIRED") return { upgrade: "websocket", connection: "upgrade, close" };
  return {};
}
