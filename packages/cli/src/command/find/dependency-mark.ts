import type { DependencyState } from "@skillhold/core/dependency";
import { isRemote } from "@skillhold/host/source";
import type { CommandInput } from "../../command.ts";
import { surveyAll, withSurvey } from "../../dependency-survey.ts";
import type { Opened } from "../../open.ts";
import { layOutStored } from "../../skill-selection.ts";

/** The dependency state of a listed skill; it never hides the skill. */
export type DependencyMark = Pick<DependencyState, "state" | "missing">;

/** Checks the dependencies of these skills; an unreadable skill has the state `unknown`. */
export async function markDependencies(
  input: Pick<CommandInput, "io" | "options">,
  opened: Opened,
  skills: readonly { readonly id: string; readonly path: string; readonly source: string }[],
): Promise<ReadonlyMap<string, DependencyMark>> {
  await layOutStored(opened, skills, input.io);
  const here = skills.filter((skill) => !isRemote(skill));
  const selected = here.map(({ id, path }) => ({ id, path, folder: path, rootFlags: "" }));
  const rows = await withSurvey(input, (ports) => surveyAll(selected, input.io, ports));
  return new Map(rows.map(({ skill, survey }) => [skill.path, markOf(survey)]));
}

function markOf(survey: { readonly state: DependencyState } | string): DependencyMark {
  if (typeof survey === "string") return { state: "unknown", missing: [] };
  const { state, missing } = survey.state;
  return { state, missing };
}
