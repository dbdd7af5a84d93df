import { SkillError } from "@skillhold/protocol/error";

/** A revision as a user types it. */
export function readRevision(text: string): number {
  const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new SkillError("USAGE", `A revision is a number from 1; ${JSON.stringify(text)} is not one.`, {
    hint: "`skillhold versions <skill>` lists the revisions there are.",
  });
}
