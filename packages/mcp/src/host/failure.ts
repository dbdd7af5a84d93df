import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { SkillError } from "@skillhold/protocol/error";
import type { LimitName } from "@skillhold/protocol/limits";
import { type RefusalCode, refusalOf, refuse } from "./refusal.ts";

/** The failure of a call as one of ours. `talk` is what the server printed about itself, if it is a program. */
export function explainFailure(error: unknown, limit: LimitName, talk: string): SkillError {
  const own = findRefusal(error);
  if (own !== undefined) return own;
  const said = talk.trim() === "" ? "" : ` It printed: ${shorten(talk)}`;
  const [code, message] = classify(error, limit);
  return refuse(code, `${message}${said}`, {}, error);
}

/** What was refused on the way may come wrapped. */
function findRefusal(error: unknown): SkillError | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof SkillError && refusalOf(each) !== undefined) return each;
  return undefined;
}

function classify(error: unknown, limit: LimitName): readonly [RefusalCode, string] {
  if (error instanceof UnauthorizedError || isRefusedByHttp(error))
    return ["MCP_UNAUTHORIZED", "The server lets nobody in without the credentials that it expects."];
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return ["MCP_TIMED_OUT", `The server did not answer in time (${limit}).`];
  if (error instanceof ProtocolError)
    return ["MCP_ANSWER_INVALID", `The server answered with an error: ${shorten(error.message)}`];
  if (error instanceof SdkError && INVALID.has(error.code))
    return ["MCP_ANSWER_INVALID", "The server's answer is not what was asked for."];
  return ["MCP_UNREACHABLE", `The server cannot be reached: ${shorten(messageOf(error))}`];
}

const INVALID: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
]);

function isRefusedByHttp(error: unknown): boolean {
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
}

/** What fetch says of a failure is in its cause, and the client may have wrapped that once more. */
function messageOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" && depth < 8
    ? messageOf(cause, depth + 1)
    : error.message;
}

const SHOWN_LENGTH = 300;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH)}…`;
}
