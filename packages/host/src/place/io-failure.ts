import { type Stats, statSync } from "node:fs";
import { SkillError } from "@skillhold/protocol/error";

/** A failure of the file system as a coded error: `<what> (EACCES).` */
export function ioFailure(what: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `${what} (${systemCode(cause) ?? "unknown failure"}).`, { cause });
}

/** The system's error code, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The stats of a path that the user named by `label`; undefined when the path does not exist. */
export function statPath(path: string, label: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // The path exists but cannot be followed: a link to itself, or a folder without permission.
    throw ioFailure(`${label} cannot be read`, error);
  }
}
