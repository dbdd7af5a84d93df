/**
 * The one table of failures that callers branch on. HTTP status, exit code, and the default advice are read
 * from here and nowhere else.
 */
export const errorTable = {
  INTERNAL: {
    status: 500,
    exit: 1,
    hint: "This is a bug in Skillhold. Please report it with the command you ran.",
  },
  IO_FAILED: { status: 500, exit: 1, hint: "Check that the path exists and that you may read and write it." },
  USAGE: { status: 400, exit: 2, hint: "Run the command with --help to see its arguments." },
  CONFIG_INVALID: { status: 400, exit: 2, hint: "Correct the setting that the message names." },
  SKILL_INVALID: {
    status: 422,
    exit: 3,
    hint: "Run `skillhold validate <path>` to see each finding with its fix.",
  },
  LIMIT_EXCEEDED: {
    status: 413,
    exit: 3,
    hint: "Make the input smaller, or raise the limit that the message names.",
  },
  ARCHIVE_INVALID: {
    status: 422,
    exit: 3,
    hint: "Make the archive anew from the skill's folder, for instance with `skillhold pack`.",
  },
  POLICY_DENIED: {
    status: 403,
    exit: 4,
    hint: "Ask for what the session's settings allow, or have them changed.",
  },
  APPROVAL_REQUIRED: {
    status: 403,
    exit: 4,
    hint: "Have someone approve it: run it where a person can be asked, or approve this content beforehand.",
  },
  APPROVAL_DENIED: {
    status: 403,
    exit: 4,
    hint: "It was refused by a person; ask them before trying again.",
  },
  TOOL_BLOCKED: {
    status: 403,
    exit: 4,
    hint: "Use a tool that the active skills allow, or deactivate the skill that the message names.",
  },
  UNAUTHENTICATED: {
    status: 401,
    exit: 4,
    hint: "Send a valid token as `Authorization: Bearer <token>`; `skillhold token create` makes one.",
  },
  FORBIDDEN: {
    status: 403,
    exit: 4,
    hint: "Use a token whose role may do this, or ask an administrator.",
  },
  ORIGIN_REFUSED: {
    status: 403,
    exit: 4,
    hint: "Use the address that the gateway printed, or name this one with --allow-host.",
  },
  RATE_LIMITED: { status: 429, exit: 4, hint: "Wait as long as Retry-After says, then try again." },
  NOT_READY: { status: 409, exit: 4, hint: "Provide what the message names, then run it again." },
  PATH_NOT_FOUND: { status: 404, exit: 5, hint: "Check the spelling of the path." },
  ROUTE_NOT_FOUND: { status: 404, exit: 5, hint: "/openapi.json lists the routes there are." },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2, hint: "Use a method that the Allow header names." },
  UPGRADE_REQUIRED: {
    status: 426,
    exit: 2,
    hint: "Open a WebSocket there; its first message is `hello`, with a token.",
  },
  MEDIA_TYPE_REFUSED: { status: 415, exit: 2, hint: "Send the Content-Type that the message names." },
  HEAD_TOO_LARGE: { status: 431, exit: 2, hint: "Send shorter headers, and what is long in the body." },
  REQUEST_TIMED_OUT: { status: 408, exit: 124, hint: "Send it again, and without a pause." },
  RANGE_REFUSED: { status: 416, exit: 2, hint: "Ask for bytes that the file has, or leave out Range." },
  PRECONDITION_FAILED: {
    status: 412,
    exit: 6,
    hint: "It was changed meanwhile: read it again, and send the ETag of what you read.",
  },
  TOKEN_NOT_FOUND: { status: 404, exit: 5, hint: "`skillhold token list` lists the tokens there are." },
  QUESTION_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "It may have been answered or given up meanwhile: list the questions that are open.",
  },
  SESSION_NOT_FOUND: { status: 404, exit: 5, hint: "Open a new session; one that is not used is closed." },
  REMOTE_FAILED: {
    status: 502,
    exit: 1,
    hint: "Check that the other side is running and can be reached, then try again.",
  },
  SKILL_NOT_FOUND: { status: 404, exit: 5, hint: "A skill is a folder that holds a SKILL.md file." },
  REVISION_NOT_FOUND: {
    status: 404,
    exit: 5,
    hint: "`skillhold versions <skill>` lists the revisions there are.",
  },
  CONFLICT: { status: 409, exit: 6, hint: "Choose another id, or ask the owner of the skill." },
  INTEGRITY_FAILED: {
    status: 500,
    exit: 7,
    hint: "Run `skillhold fsck` to see what is damaged and what can be repaired.",
  },
  STORE_FAILED: {
    status: 503,
    exit: 1,
    hint: "Check that the store can be reached and that there is room on its disk.",
  },
  SHUTTING_DOWN: { status: 503, exit: 1, hint: "Use another gateway, or try again when it has started." },
  GRANT_NOT_FOUND: { status: 404, exit: 5, hint: "`skillhold access <skill>` lists who was granted it." },
  AGENT_NOT_FOUND: { status: 404, exit: 5, hint: "`skillhold agent list` lists the agents there are." },
  TOOL_NOT_FOUND: { status: 404, exit: 5, hint: "`skillhold tools <skill>` lists the tools of a skill." },
  SECRET_UNREADABLE: {
    status: 500,
    exit: 1,
    hint: "The key that sealed it is not the one at hand: restore the key file, or set the secret again.",
  },
  SANDBOX_UNAVAILABLE: {
    status: 503,
    exit: 6,
    hint: "Run `skillhold sandbox test` to see what is missing on this machine.",
  },
  TOOL_FAILED: { status: 502, exit: 8, hint: "The tool's own message says why." },
  TIMED_OUT: {
    status: 504,
    exit: 124,
    hint: "Give it less to do, or raise the limit that the message names.",
  },
  RESOURCE_OUTSIDE_SKILL: {
    status: 400,
    exit: 7,
    hint: "Use a relative path that stays inside the skill's folder.",
  },
  INTERRUPTED: { status: 499, exit: 130, hint: "Run the command again to finish the work." },
} as const satisfies Record<string, ErrorRow>;

export interface ErrorRow {
  /** HTTP status of a response that carries this failure. */
  readonly status: number;
  /** Exit code of a command that ends with this failure. */
  readonly exit: number;
  /** What to do about it, when the failure itself says nothing better. */
  readonly hint: string;
}

export type ErrorCode = keyof typeof errorTable;

export interface SkillErrorOptions {
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A failure that callers may branch on. A plain `Error` means a bug. */
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

/** What is said of failures whose own words tell where things lie, and with what they are kept. */
const insideWords: Readonly<Partial<Record<ErrorCode, string>>> = {
  IO_FAILED: "A file could not be read or written.",
  INTEGRITY_FAILED: "What is stored is not what it should be.",
  STORE_FAILED: "The store failed, or does not answer.",
};

export interface OutsideWords {
  readonly message: string;
  readonly hint: string;
  /** Whether this is all that the failure says. */
  readonly isWhole: boolean;
}

/** A failure in words for those who are not at the machine. Contract: what is left out goes into a log. */
export function outsideWords({
  code,
  message,
  hint,
}: Pick<SkillError, "code" | "message" | "hint">): OutsideWords {
  const fixed = insideWords[code];
  if (fixed === undefined) return { message, hint, isWhole: true };
  return {
    message: fixed,
    hint: "Try again later, and tell whoever looks after the gateway: its log has more.",
    isWhole: false,
  };
}
