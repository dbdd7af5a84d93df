import { createTwoFilesPatch } from "diff";

/** The change as a patch that `git apply` and `patch` take. */
export function descriptionPatch(id: string, before: string, after: string): string {
  return createTwoFilesPatch(`a/${id}/SKILL.md`, `b/${id}/SKILL.md`, before, after, "", "");
}
