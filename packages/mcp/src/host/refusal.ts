import { type ErrorCode, SkillError } from "@skillhold/protocol/error";

/**
 * Every reason for which a server, a skill of it or a file of that is not used: the failure it is, and what whoever
 * runs the server can do. The one table: the codes are in diagnostics and in the details of failures.
 */
export const refusalTable = {
  // The server
  MCP_UNREACHABLE: row("REMOTE_FAILED", "Check the command or the address, and that the server runs."),
  MCP_UNAUTHORIZED: row("REMOTE_FAILED", "Give the server what it asks for with --header-env or --env."),
  MCP_TIMED_OUT: row(
    "TIMED_OUT",
    "Make the server answer sooner, or raise the limit that the message names.",
  ),
  MCP_ANSWER_INVALID: row("REMOTE_FAILED", "Make the server answer as the skills extension says."),
  MCP_NO_SKILLS: row(
    "REMOTE_FAILED",
    "Use a server that declares io.modelcontextprotocol/skills and resources.",
  ),
  MCP_TOO_MANY_PAGES: row("LIMIT_EXCEEDED", "Let the list end, or raise the limit mcpPages."),
  MCP_TOO_MANY_SKILLS: row("LIMIT_EXCEEDED", "Serve fewer skills, or raise the limit mcpSkills."),
  MCP_LIST_TOO_LARGE: row("LIMIT_EXCEEDED", "Make the list shorter, or raise the limit mcpListBytes."),
  MCP_VARIABLE_MISSING: row("CONFIG_INVALID", "Set the variable that the message names."),

  // An entry of its list
  MCP_ENTRY_INVALID: row("SKILL_INVALID", "Give each entry a uri, its frontmatter, and its resources."),
  MCP_URI_INVALID: row(
    "SKILL_INVALID",
    "Write the address as skill://<path>/SKILL.md, each name encoded once.",
  ),
  MCP_URI_SCHEME: row("SKILL_INVALID", "Use the scheme skill."),
  MCP_URI_OUTSIDE: row("SKILL_INVALID", "List only files that lie in the skill's own folder."),
  MCP_URI_REPEATED: row("SKILL_INVALID", "List each skill once."),
  MCP_FILE_REPEATED: row("SKILL_INVALID", "List each file once, under a name that no other one resembles."),
  MCP_SKILL_FILE_UNLISTED: row("SKILL_INVALID", "List SKILL.md among the resources."),
  MCP_SKILL_UNKNOWN: row("SKILL_INVALID", "Name the address of a skill that the server has."),
  MCP_NAME_DIFFERS: row("SKILL_INVALID", "Give the skill the name of its folder."),
  MCP_DYNAMIC: row("SKILL_INVALID", "List the files with their digests in place of `dynamic`."),
  MCP_TOO_MANY_FILES: row("LIMIT_EXCEEDED", "Serve fewer files, or raise the limit mcpResources."),
  MCP_TOO_LARGE: row("LIMIT_EXCEEDED", "Make the skill smaller, or raise the limit that the message names."),

  // A file as it was read
  MCP_FILE_MISSING: row("INTEGRITY_FAILED", "Serve every file that is listed, each by its own address."),
  MCP_SIZE_DIFFERS: row("INTEGRITY_FAILED", "Serve the bytes whose size is listed."),
  MCP_DIGEST_DIFFERS: row("INTEGRITY_FAILED", "Serve the bytes whose digest is listed."),
  MCP_FRONTMATTER_DIFFERS: row("INTEGRITY_FAILED", "List the frontmatter as SKILL.md has it."),
  MCP_SKILL_UNREADABLE: row(
    "SKILL_INVALID",
    "Correct SKILL.md; `skillhold validate --profile mcp` checks it.",
  ),
} as const satisfies Readonly<Record<string, RefusalRow>>;

export type RefusalCode = keyof typeof refusalTable;

interface RefusalRow {
  readonly error: ErrorCode;
  readonly fix: string;
}

function row(error: ErrorCode, fix: string): RefusalRow {
  return { error, fix };
}

/** The failure of something that a server said or did; its code in the table is in the details. */
export function refuse(
  reason: RefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): SkillError {
  const { error, fix } = refusalTable[reason];
  return new SkillError(error, message, { hint: fix, details: { ...details, reason }, cause });
}

/** The code of a refusal, or undefined for a failure of another kind. */
export function refusalOf(error: unknown): RefusalCode | undefined {
  const reason = error instanceof SkillError ? error.details["reason"] : undefined;
  if (typeof reason !== "string" || !Object.hasOwn(refusalTable, reason)) return undefined;
  // It is one of the keys.
  return reason as RefusalCode;
}
