import { errorCodeOf } from "@skillhold/core/bundle";
import { parseBoundedJson } from "@skillhold/core/text";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { Problem } from "@skillhold/protocol/http";

/** Converts an error response of a gateway to the same SkillError. */
export function refusedBy(text: string, status: number, address: string): SkillError {
  const problem = readProblem(text, status);
  if (problem === undefined)
    return remoteFailed(`The gateway ${address} answered with status ${status}.`, {
      hint: "Check that the address belongs to a gateway and that no proxy in front of it fails.",
      details: { status },
    });
  const { code, detail, hint, requestId, details } = problem;
  // An internal error of the gateway is not one of this program.
  if (code === "INTERNAL") return remoteFailed(shorten(detail), { hint, details: { requestId, status } });
  if (code === "ROUTE_NOT_FOUND") return badAnswer(address, "the route does not exist.");
  // The gateway's hint explains how to send a token, but one was sent.
  if (code === "UNAUTHENTICATED") return refusedToken(address, { requestId: shorten(requestId) });
  return new SkillError(code, shorten(detail), {
    hint: shorten(hint),
    details: { ...details, requestId: shorten(requestId) },
  });
}

/** The error for a token that the gateway rejects. */
function refusedToken(address: string, details: Readonly<Record<string, unknown>>): SkillError {
  return new SkillError("UNAUTHENTICATED", `The gateway ${address} does not accept the token.`, {
    hint: `The token is expired or revoked, or belongs to another gateway. Create one there with \`skillhold token create\` and run \`skillhold login ${address}\`. SKILLHOLD_TOKEN takes precedence if set.`,
    details,
  });
}

/** A problem whose status does not match its code is ignored. */
function readProblem(text: string, status: number): Problem | undefined {
  try {
    const { data } = Problem.safeParse(parseBoundedJson(text));
    return data !== undefined && errorTable[data.code].status === status ? data : undefined;
  } catch {
    // Not JSON, or nested too deeply.
    return undefined;
  }
}

/** The error for a request without a complete response. */
export function unanswered(error: unknown, address: string): SkillError {
  const reason = findFailure(error);
  if (reason !== undefined) return reason;
  const code = causeCode(error);
  const cause = causeOf(error);
  const detail = cause instanceof Error ? cause.message : String(cause);
  const hint = hints.find(([codes]) => codes.test(code))?.[1];
  return remoteFailed(`The gateway ${address} cannot be reached: ${shorten(detail || code)}`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

/** The system error code of a failed request (`ECONNREFUSED`), or an empty string. */
export function causeCode(error: unknown): string {
  return errorCodeOf(causeOf(error));
}

/** `fetch` puts the reason of a failure in `cause`. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** The abort reason of a request, possibly wrapped. */
function findFailure(error: unknown): SkillError | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof SkillError) return each;
  return undefined;
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "Start the gateway, or correct the address."],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "Correct the host name, or check the network connection."],
  [
    /CERT|^ERR_TLS|SELF_SIGNED/,
    "Its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to the certificate file of its authority.",
  ],
];

interface FailureOptions {
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export function remoteFailed(message: string, options: FailureOptions = {}): SkillError {
  return new SkillError("REMOTE_FAILED", message, options);
}

/** The error for an invalid response of a gateway. */
export function badAnswer(address: string, what: string, cause?: unknown): SkillError {
  return remoteFailed(`The gateway ${address} sent an invalid response: ${what}`, {
    hint: "Check that the address belongs to a gateway and that its version is compatible.",
    cause,
  });
}

/** The error for content that does not match its hash. The content is discarded. */
export function integrityFailed(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): SkillError {
  return new SkillError("INTEGRITY_FAILED", message, {
    hint: "The content was discarded. Run `skillhold fsck` on the gateway's store, and check the proxies in between.",
    details,
  });
}

const SHOWN_LENGTH = 1000;

function shorten(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…`;
}
