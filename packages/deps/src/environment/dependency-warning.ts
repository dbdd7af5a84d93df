import type { DependencyState } from "@skillhold/core/dependency";
import type { Library, Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { type SurveyPorts, surveyDependencies } from "./survey.ts";
import { withLibrarySubject } from "./survey-subject.ts";

/**
 * What an agent is told when it reads a skill: what is missing that the skill cannot do without, and how to get it.
 * Nothing when all is there, or when it could not be found out: a skill is read all the same.
 */
export async function dependencyWarnings(
  library: Pick<Library, "read" | "copy">,
  viewer: Viewer,
  id: string,
  ports: SurveyPorts,
): Promise<readonly string[]> {
  try {
    return await withLibrarySubject(library, viewer, id, async (subject) => {
      const [survey] = await surveyDependencies([subject], ports);
      return survey === undefined ? [] : warningsOf(subject.id, survey.state);
    });
  } catch (error) {
    if (error instanceof SkillError && ports.signal?.aborted !== true) return [];
    throw error;
  }
}

/** The same for a state that is known. */
export function warningsOf(id: string, { missing, isUnsupported }: DependencyState): readonly string[] {
  if (missing.length === 0) return [];
  const advice =
    isUnsupported === true
      ? "Nothing can be installed here."
      : `\`skillhold deps install ${id}\` installs what is missing.`;
  return [`Missing: ${missing.join(", ")}. ${advice}`];
}
