import { type ErrorCode, SkillError } from "@skillhold/protocol/error";

/**
 * Every reason to reject a server, a skill or a file, with its error code and the fix for the server's operator. The keys
 * appear in diagnostics and in the details of errors.
 */
export const refusalTable = {
  // The server
  MCP_UNREACHABLE: row("REMOTE_FAILED", "Check the command or the URL, and that the server is running."),
  MCP_UNAUTHORIZED: row("REMOTE_FAILED", "Pass the credentials with --header-env or --env."),
  MCP_TIMED_OUT: row("TIMED_OUT", "Make the server faster, or raise the limit in the message."),
  MCP_ANSWER_INVALID: row("REMOTE_FAILED", "Make the server follow the skills extension."),
  MCP_NO_SKILLS: row(
    "REMOTE_FAILED",
    "Use a server that declares io.modelcontextprotocol/skills and resources.",
  ),
  MCP_TOO_MANY_PAGES: row("LIMIT_EXCEEDED", "Use fewer pages, or raise the limit mcpPages."),
  MCP_TOO_MANY_SKILLS: row("LIMIT_EXCEEDED", "Serve fewer skills, or raise the limit mcpSkills."),
  MCP_LIST_TOO_LARGE: row("LIMIT_EXCEEDED", "Make the list shorter, or raise the limit mcpListBytes."),
  MCP_VARIABLE_MISSING: row("CONFIG_INVALID", "Set the variable in the message."),

  // An entry of its list
  MCP_ENTRY_INVALID: row("SKILL_INVALID", "Give each entry a uri, frontmatter and resources."),
  MCP_URI_INVALID: row(
    "SKILL_INVALID",
    "Write the URI as skill://<path>/SKILL.md, with each name encoded once.",
  ),
  MCP_URI_SCHEME: row("SKILL_INVALID", "Use the scheme skill."),
  MCP_URI_OUTSIDE: row("SKILL_INVALID", "List only files in the folder of the skill."),
  MCP_URI_REPEATED: row("SKILL_INVALID", "List each skill once."),
  MCP_FILE_REPEATED: row(
    "SKILL_INVALID",
    "List each file once, with a name that differs from the others by more than case.",
  ),
  MCP_SKILL_FILE_UNLISTED: row("SKILL_INVALID", "List SKILL.md among the resources."),
  MCP_SKILL_UNKNOWN: row("SKILL_INVALID", "Use the URI of a skill that the server has."),
  MCP_NAME_DIFFERS: row("SKILL_INVALID", "Use the folder name as the name of the skill."),
  MCP_DYNAMIC: row("SKILL_INVALID", "List the files with their digests instead of `dynamic`."),
  MCP_TOO_MANY_FILES: row("LIMIT_EXCEEDED", "Serve fewer files, or raise the limit mcpResources."),
  MCP_TOO_LARGE: row("LIMIT_EXCEEDED", "Make the skill smaller, or raise the limit in the message."),

  // A file
  MCP_FILE_MISSING: row("INTEGRITY_FAILED", "Serve every listed file under its own URI."),
  MCP_SIZE_DIFFERS: row("INTEGRITY_FAILED", "Serve a file with the listed size."),
  MCP_DIGEST_DIFFERS: row("INTEGRITY_FAILED", "Serve a file with the listed digest."),
  MCP_FRONTMATTER_DIFFERS: row("INTEGRITY_FAILED", "List the frontmatter of SKILL.md unchanged."),
  MCP_SKILL_UNREADABLE: row("SKILL_INVALID", "Fix SKILL.md. `skillhold validate --profile mcp` checks it."),
} as const satisfies Readonly<Record<string, RefusalRow>>;

export type RefusalCode = keyof typeof refusalTable;

interface RefusalRow {
  readonly error: ErrorCode;
  readonly fix: string;
}

function row(error: ErrorCode, fix: string): RefusalRow {
  return { error, fix };
}

/** An error for a server's response; its details have the reason code. */
export function refuse(
  reason: RefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): SkillError {
  const { error, fix } = refusalTable[reason];
  return new SkillError(error, message, { hint: fix, details: { ...details, reason }, cause });
}

/** The reason code of an error, or undefined for another error. */
export function refusalOf(error: unknown): RefusalCode | undefined {
  const reason = error instanceof SkillError ? error.details["reason"] : undefined;
  if (typeof reason !== "string" || !Object.hasOwn(refusalTable, reason)) return undefined;
  // `hasOwn` proves that it is a key.
  return reason as RefusalCode;
}
