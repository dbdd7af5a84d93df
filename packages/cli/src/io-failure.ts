import { SkillError } from "@skillhold/protocol/error";

/** What the system refused, as a failure that says why: `<what> (EACCES).` */
export function ioFailure(what: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `${what} (${systemCode(cause) ?? "unknown failure"}).`, { cause });
}

/** The system's code of a failure, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
