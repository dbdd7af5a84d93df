/** All failures that callers branch on, with HTTP status, exit code and default hint. Defined only here. */
export const errorTable = {
  INTERNAL: {
    status: 500,
    exit: 1,
    hint: "This is a bug in Skillhold. Please report it with the command you ran.",
  },
  IO_FAILED: {
    status: 500,
    exit: 1,
    hint: "Check that the path exists and that you have permission to read and write it.",
  },
  USAGE: { status: 400, exit: 2, hint: "Run the command with --help to see its arguments." },
  CONFIG_INVALID: { status: 400, exit: 2, hint: "Correct the setting named in the message." },
  SKILL_INVALID: {
    status: 422,
    exit: 3,
    hint: "Run `skillhold validate <path>` to see each problem with its fix.",
  },
  GUARD_BLOCKED: {
    status: 422,
    exit: 3,
    hint: "Fix the findings that `skillhold guard scan <path>` lists, or have an administrator waive them.",
  },
  GUARD_FAILED: {
    status: 500,
    exit: 1,
    hint: "The skill was not published. Run `skillhold guard scan <path>` and report the failure.",
  },
  LIMIT_EXCEEDED: {
    status: 413,
    exit: 3,
    hint: "Use a smaller input, or raise the limit named in the message.",
  },
  ARCHIVE_INVALID: {
    status: 422,
    exit: 3,
    hint: "Create the archive again from the skill's folder, for example with `skillhold pack`.",
  },
  POLICY_DENIED: {
    status: 403,
    exit: 4,
    hint: "Request only what the session's settings allow, or change the settings.",
  },
  APPROVAL_REQUIRED: {
    status: 403,
    exit: 4,
    hint: "Run it where a person can approve it, or approve this content beforehand.",
  },
  APPROVAL_PENDING: {
    status: 403,
    exit: 4,
    hint: "After a person approved it, repeat the call with the same input. The approval counts once.",
  },
  APPROVAL_DENIED: {
    status: 403,
    exit: 4,
    hint: "A person denied the request. Ask them before you try again.",
  },
  TOOL_BLOCKED: {
    status: 403,
    exit: 4,
    hint: "Use a tool that the active skills allow, or deactivate the skill named in the message.",
  },
  UNAUTHENTICATED: {
    status: 401,
    exit: 4,
    hint: "Send a valid token as `Authorization: Bearer <token>`. Create one with `skillhold token create`.",
  },
  FORBIDDEN: {
    status: 403,
    exit: 4,
    hint: "Use a token with the required role, or ask an administrator.",
  },
  SIGN_IN_REQUIRED: {
    status: 403,
    exit: 4,
    hint: "Sign in again, then repeat the request.",
  },
  ORIGIN_REFUSED: {
    status: 403,
    exit: 4,
    hint: "Use the address that the gateway printed, or allow this one with --allow-host.",
  },
  RATE_LIMITED: { status: 429, exit: 4, hint: "Wait as long as Retry-After says, then try again." },
  NOT_READY: { status: 409, exit: 4, hint: "Provide the items named in the message, then try again." },
  PATH_NOT_FOUND: { status: 404, exit: 5, hint: "Check the spelling of the path." },
  ROUTE_NOT_FOUND: { status: 404, exit: 5, hint: "See /openapi.json for the list of routes." },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2, hint: "Use a method listed in the Allow header." },
  UPGRADE_REQUIRED: {
    status: 426,
    exit: 2,
    hint: "Open a WebSocket at this address and send `hello` with a token as the first message.",
  },
  MEDIA_TYPE_REFUSED: { status: 415, exit: 2, hint: "Send the Content-Type named in the message." },
  HEAD_TOO_LARGE: { status: 431, exit: 2, hint: "Send shorter headers, and put long values in the body." },
  REQUEST_TIMED_OUT: { status: 408, exit: 124, hint: "Send the request again without pauses." },
  RANGE_REFUSED: { status: 416, exit: 2, hint: "Request a range inside the file, or omit the Range header." },
  PRECONDITION_FAILED: {
    status: 412,
    exit: 6,
    hint: "Read the resource again and send the ETag of that response.",
  },
  TOKEN_NOT_FOUND: { status: 404, exit: 5, hint: "Run `skillhold token list` to list the tokens." },
  PASSKEY_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "Run `skillhold passkey list <user>` to list the passkeys of a person.",
  },
  USER_NOT_FOUND: { status: 404, exit: 5, hint: "Check the name. User names are case-sensitive." },
  QUESTION_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "List the open questions. This one may have been answered or withdrawn.",
  },
  SESSION_NOT_FOUND: { status: 404, exit: 5, hint: "Open a new session. Unused sessions are closed." },
  REMOTE_FAILED: {
    status: 502,
    exit: 1,
    hint: "Check that the remote server is running and reachable, then try again.",
  },
  SKILL_NOT_FOUND: { status: 404, exit: 5, hint: "A skill is a folder with a SKILL.md file." },
  REVISION_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "Run `skillhold versions <skill>` to list the revisions.",
  },
  EVAL_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "Run `skillhold eval show <skill> --all` to list the results.",
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "Run `skillhold webhook list` to list the webhooks.",
  },
  PROPOSAL_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "Run `skillhold proposal list` to list the proposals.",
  },
  PROPOSAL_STALE: {
    status: 409,
    exit: 6,
    hint: "Rebase the proposal with `skillhold proposal rebase <id>`, then have it reviewed again.",
  },
  CONFLICT: { status: 409, exit: 6, hint: "Choose another id, or ask the owner of the skill." },
  INTEGRITY_FAILED: {
    status: 500,
    exit: 7,
    hint: "Run `skillhold fsck` to see the damage and the possible repairs.",
  },
  STORE_FAILED: {
    status: 503,
    exit: 1,
    hint: "Check that the store is reachable and that its disk has free space.",
  },
  DISK_FULL: {
    status: 507,
    exit: 1,
    hint: "Free some space on the disk, or move the data folder to a larger one. Reads that need no record still work.",
  },
  NODE_UNSUPPORTED: { status: 500, exit: 1, hint: "Install a current Node from https://nodejs.org." },
  STARTING: { status: 503, exit: 1, hint: "Try again in a few seconds. The log has the progress." },
  SHUTTING_DOWN: { status: 503, exit: 1, hint: "Use another gateway, or try again after the restart." },
  GRANT_NOT_FOUND: { status: 404, exit: 5, hint: "Run `skillhold access <skill>` to list the grants." },
  AGENT_NOT_FOUND: { status: 404, exit: 5, hint: "Run `skillhold agent list` to list the agents." },
  TOOL_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "Run `skillhold tools <skill>` to list the tools of a skill.",
  },
  SECRET_UNREADABLE: {
    status: 500,
    exit: 1,
    hint: "The encryption key has changed. Restore the key file, or set the secret again.",
  },
  SANDBOX_UNAVAILABLE: {
    status: 503,
    exit: 6,
    hint: "Run `skillhold sandbox test` to list the missing parts.",
  },
  VERIFIER_MISSING: {
    status: 503,
    exit: 6,
    hint: "Install the package named in the message.",
  },
  TOOL_FAILED: { status: 502, exit: 8, hint: "See the message of the tool." },
  TIMED_OUT: {
    status: 504,
    exit: 124,
    hint: "Reduce the work, or raise the limit named in the message.",
  },
  RESOURCE_OUTSIDE_SKILL: {
    status: 400,
    exit: 7,
    hint: "Use a relative path that stays inside the skill's folder.",
  },
  INTERRUPTED: { status: 499, exit: 130, hint: "Run the command again to finish the work." },
} as const satisfies Record<string, ErrorRow>;

export interface ErrorRow {
  /** The HTTP status of a response with this failure. */
  readonly status: number;
  /** The exit code of a command that ends with this failure. */
  readonly exit: number;
  /** The default advice. */
  readonly hint: string;
}

export type ErrorCode = keyof typeof errorTable;

export interface SkillErrorOptions {
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A failure that callers may branch on. A plain `Error` is a bug. */
export class SkillError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: SkillErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SkillError";
    this.code = code;
    this.hint = options.hint ?? errorTable[code].hint;
    this.details = options.details ?? {};
  }
}

/** Messages for failures whose original text reveals paths or storage details. */
const genericMessages: Readonly<Partial<Record<ErrorCode, string>>> = {
  IO_FAILED: "A file could not be read or written.",
  INTEGRITY_FAILED: "The stored data is damaged.",
  STORE_FAILED: "The store failed or does not respond.",
  DISK_FULL: "A disk of the gateway has no free space.",
};

export interface PublicMessage {
  readonly message: string;
  readonly hint: string;
  /** Whether the message is complete. */
  readonly isWhole: boolean;
}

/** A failure message for remote clients. Contract: the caller logs the omitted details. */
export function publicMessage({
  code,
  message,
  hint,
}: Pick<SkillError, "code" | "message" | "hint">): PublicMessage {
  const fixed = genericMessages[code];
  if (fixed === undefined) return { message, hint, isWhole: true };
  return {
    message: fixed,
    hint: "Try again later, or ask the operator of the gateway, whose log has the details.",
    isWhole: false,
  };
}
