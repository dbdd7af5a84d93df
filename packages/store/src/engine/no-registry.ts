import { SkillError } from "@skillhold/protocol/error";

const PROBLEM = "no registry";

/** The error for a location without a registry. */
export function noRegistry(place: string): SkillError {
  return new SkillError("STORE_FAILED", `There is no registry in ${place}.`, {
    hint: "Publish a skill to create it, or choose another registry.",
    details: { place, problem: PROBLEM },
  });
}

export function isNoRegistry(error: unknown): boolean {
  return error instanceof SkillError && error.details["problem"] === PROBLEM;
}
