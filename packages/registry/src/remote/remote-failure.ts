import { errorCodeOf } from "@skillhold/core/bundle";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { Problem } from "@skillhold/protocol/http";

/** What a gateway refused a request with, as the failure that it is over there. */
export function refusedBy(text: string, status: number, address: string): SkillError {
  const problem = readProblem(text, status);
  if (problem === undefined)
    return remoteFailed(`The gateway ${address} answered with status ${status}.`, {
      hint: "Check that the address is a gateway's, and not of something in front of it that fails.",
      details: { status },
    });
  const { code, detail, hint, requestId, details } = problem;
  // A bug over there is none of this program.
  if (code === "INTERNAL") return remoteFailed(shorten(detail), { hint, details: { requestId, status } });
  if (code === "ROUTE_NOT_FOUND") return badAnswer(address, "it has no such route.");
  // The gateway tells how to send a token. One was sent.
  if (code === "UNAUTHENTICATED") return refusedToken(address, { requestId: shorten(requestId) });
  return new SkillError(code, shorten(detail), {
    hint: shorten(hint),
    details: { ...details, requestId: shorten(requestId) },
  });
}

/** The failure of a token that counts there no more, or never did. */
function refusedToken(address: string, details: Readonly<Record<string, unknown>>): SkillError {
  return new SkillError("UNAUTHENTICATED", `The gateway ${address} does not accept the token.`, {
    hint: `It has expired, was revoked, or is of another gateway. \`skillhold token create\` makes one there, and \`skillhold login ${address}\` keeps it here; SKILLHOLD_TOKEN, where it is set, is used instead.`,
    details,
  });
}

/** A code and a status that do not belong together are nobody's problem of this table. */
function readProblem(text: string, status: number): Problem | undefined {
  try {
    const { data } = Problem.safeParse(JSON.parse(text));
    return data !== undefined && errorTable[data.code].status === status ? data : undefined;
  } catch {
    // Not JSON, or nested deeper than anything that is meant: it says nothing.
    return undefined;
  }
}

/** The failure of a request that had no answer, or half of one. */
export function unanswered(error: unknown, address: string): SkillError {
  const reason = findFailure(error);
  if (reason !== undefined) return reason;
  const code = causeCode(error);
  const cause = causeOf(error);
  const said = cause instanceof Error ? cause.message : String(cause);
  const hint = hints.find(([codes]) => codes.test(code))?.[1];
  return remoteFailed(`The gateway ${address} cannot be reached: ${shorten(said || code)}`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

/** The system's code of what a request failed for (`ECONNREFUSED`), or an empty string. */
export function causeCode(error: unknown): string {
  return errorCodeOf(causeOf(error));
}

/** What fetch says of a failure is in its cause. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** What a request was called off with comes back as it is, or wrapped. */
function findFailure(error: unknown): SkillError | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 8; each = each.cause, depth += 1)
    if (each instanceof SkillError) return each;
  return undefined;
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, "Nothing answers there: start the gateway, or correct the address."],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "Correct the host's name, or check that this machine has network."],
  [
    /CERT|^ERR_TLS|SELF_SIGNED/,
    "Its certificate is not trusted here: name the file of its authority in NODE_EXTRA_CA_CERTS.",
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

/** The failure of a gateway that answers, but not as one does. */
export function badAnswer(address: string, what: string, cause?: unknown): SkillError {
  return remoteFailed(`The gateway ${address} did not answer as one does: ${what}`, {
    hint: "Check that the address is a gateway's, and that its version fits this one's.",
    cause,
  });
}

/** What was handed over is not what it is said to be. It is used for nothing. */
export function integrityFailed(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): SkillError {
  return new SkillError("INTEGRITY_FAILED", message, {
    hint: "Nothing of it was used. Have the gateway's store checked with `skillhold fsck`, and mistrust what is in between.",
    details,
  });
}

const SHOWN_LENGTH = 1000;

function shorten(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH).toWellFormed()}…`;
}
