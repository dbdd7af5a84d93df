import { SkillError } from "@skillhold/protocol/error";

/**
 * Reads a JSON column. Contract: `T` is the type that this program writes. Databases with unknown migrations
 * are not opened.
 */
export function fromJson<T>(text: string): T {
  try {
    // Guaranteed by the contract.
    return JSON.parse(text) as T;
  } catch (error) {
    throw new SkillError(
      "INTEGRITY_FAILED",
      "A row of the registry contains invalid JSON. Run `skillhold fsck`.",
      {
        cause: error,
      },
    );
  }
}
