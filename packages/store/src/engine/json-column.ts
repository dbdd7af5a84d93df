import { SkillError } from "@skillhold/protocol/error";

/**
 * Reads a JSON column. Contract: `T` is what this program writes into the column; only the migrations that it knows
 * change that, and a database of other migrations is not opened.
 */
export function fromJson<T>(text: string): T {
  try {
    // What the contract says.
    return JSON.parse(text) as T;
  } catch (error) {
    throw new SkillError("INTEGRITY_FAILED", "A row of the registry holds what is not JSON.", {
      cause: error,
    });
  }
}
