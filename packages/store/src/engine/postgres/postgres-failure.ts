import { SkillError } from "@skillhold/protocol/error";

/** What a failure of the driver or the server means for who uses the store; a SkillError is passed on. */
export function explainPostgres(place: string, error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const code = codeOf(error);
  const options = { details: { place, code }, cause: error };
  if (code === "23505") return new SkillError("CONFLICT", "A row of that key exists already.", options);
  if (code === "55P03") {
    return new SkillError("STORE_FAILED", `The registry at ${place} is in use by others for too long.`, {
      ...options,
      hint: "Find the process that holds it, or try again later.",
    });
  }
  if (code.startsWith("28") || code === "3D000") {
    return new SkillError("STORE_FAILED", `The registry at ${place} refused us: ${messageOf(error)}.`, {
      ...options,
      hint: "Check the user, the password and the name of the database.",
    });
  }
  if (isSqlState(code) && !code.startsWith("08") && !code.startsWith("57P")) {
    return new SkillError("STORE_FAILED", `The registry at ${place} failed: ${messageOf(error)}.`, options);
  }
  return new SkillError("STORE_FAILED", `The registry at ${place} cannot be reached.`, {
    ...options,
    hint: "Check that PostgreSQL runs there and takes connections.",
  });
}

/** Whether the server could not decide between two transactions, and undid this one: it may be tried again. */
export function isUndecided(error: unknown): boolean {
  const code = codeOf(error instanceof SkillError ? error.cause : error);
  return code === "40001" || code === "40P01";
}

/** Codes of the server have five characters; those of the driver and the system are words. */
function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
