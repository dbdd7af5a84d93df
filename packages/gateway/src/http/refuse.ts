import { SkillError } from "@skillhold/protocol/error";
import type { GatewayContext } from "../gateway-context.ts";
import { problemOf } from "./problem.ts";
import { respondProblem } from "./respond.ts";

/** The answer to a request that failed, and a line of the log where that is nobody's fault outside. */
export function refuse(error: unknown, requestId: string, { log }: Pick<GatewayContext, "log">): Response {
  const problem = problemOf(error, requestId);
  if (problem.status >= 500)
    log({ level: "error", event: "request.failed", requestId, error, message: problem.detail });
  return respondProblem(problem, requestId, failureHeaders(error));
}

/** What a failure says beside its body. */
export function failureHeaders(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof SkillError)) return {};
  const { code, details } = error;
  if (code === "UNAUTHENTICATED") return { "www-authenticate": 'Bearer realm="skillhold"' };
  if (code === "RATE_LIMITED") return { "retry-after": String(details["retryAfter"] ?? 1) };
  if (code === "RANGE_REFUSED") return { "content-range": `bytes */${details["size"]}` };
  if (code === "METHOD_NOT_ALLOWED") return { allow: String(details["allow"] ?? "") };
  // Node leaves a connection open that only says "upgrade", also for those who want it closed.
  if (code === "UPGRADE_REQUIRED") return { upgrade: "websocket", connection: "upgrade, close" };
  return {};
}
