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

/** Converts an error of a request to a SkillError. `stderr` is the output of a server process. */
export function classifyFailure(error: unknown, limit: LimitName, stderr: string): SkillError {
  const own = findRefusal(error);
  if (own !== undefined) return own;
  const output = stderr.trim() === "" ? "" : ` Its stderr was: ${shorten(stderr)}`;
  const [code, message] = classify(error, limit);
  return refuse(code, `${message}${output}`, {}, error);
}

/** The SDK may wrap our own errors. */
function findRefusal(error: unknown): SkillError | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof SkillError && refusalOf(each) !== undefined) return each;
  return undefined;
}

function classify(error: unknown, limit: LimitName): readonly [RefusalCode, string] {
  if (error instanceof UnauthorizedError || isRefusedByHttp(error))
    return ["MCP_UNAUTHORIZED", "The server rejected the credentials."];
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return ["MCP_TIMED_OUT", `The server did not answer in time (${limit}).`];
  if (error instanceof ProtocolError)
    return ["MCP_ANSWER_INVALID", `The server answered with an error: ${shorten(error.message)}`];
  if (error instanceof SdkError && INVALID.has(error.code))
    return ["MCP_ANSWER_INVALID", "The response of the server does not match the request."];
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

/** The cause of a fetch error has the message, and the SDK may wrap it again. */
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

export interface Deadline {
  /** The name of the limit. */
  readonly limit: LimitName;
  readonly ms: number;
  /** Cancels the work earlier. */
  readonly signal?: AbortSignal;
}

/** Runs work with a time limit. It rejects at the limit even when the work ignores its signal. */
export async function withDeadline<T>(
  { limit, ms, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (error: Error) => {
    ended.reject(error);
    controller.abort(error);
  };
  const cancel = () => end(refuse("MCP_UNREACHABLE", "The request to the server was canceled."));
  const timer = setTimeout(() => {
    end(refuse("MCP_TIMED_OUT", `The server did not answer within ${ms} ms (${limit}).`));
  }, ms);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    if (signal?.aborted === true) cancel();
    return await Promise.race([ended.promise, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
