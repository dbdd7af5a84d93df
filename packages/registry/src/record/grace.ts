import { SkillError } from "@skillhold/protocol/error";

/** A hundred years: a date can be reckoned back by it. */
const MAX_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/** How long something is left alone, in milliseconds; below 0, not even what is new. Throws USAGE for what is no time. */
export function checkGrace(graceMs: number): number {
  if (Math.abs(graceMs) <= MAX_MS) return graceMs;
  throw new SkillError("USAGE", "The grace is not a time in milliseconds.", {
    hint: "Give milliseconds, at most those of a hundred years.",
  });
}
