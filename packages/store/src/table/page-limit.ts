import { SkillError } from "@skillhold/protocol/error";

/** How many rows are asked for; one engine takes a negative number for all of them, and the other fails. */
export function pageLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new SkillError("USAGE", "A limit is a whole number, 0 or more.", {
    hint: "Leave the limit out to get all.",
  });
}
