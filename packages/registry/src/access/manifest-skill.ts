import type { Library, Viewer } from "@skillhold/core/library";
import type { AgentManifest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { didYouMean, suggest } from "@skillhold/skill/suggest";

/** Rejects a manifest that uses or pins a skill that the viewer cannot see. Contract: the viewer is the agent's user. */
export async function rejectUnknownSkills(
  { usesSkills, pins }: Pick<AgentManifest, "usesSkills" | "pins">,
  viewer: Viewer,
  library: Pick<Library, "list">,
): Promise<void> {
  const named = [...usesSkills, ...pins];
  if (named.length === 0) return;
  const lists = await Promise.all(
    (["model", "user"] as const).map((invoker) => library.list({ ...viewer, invoker })),
  );
  const known = new Set(lists.flat().map((entry) => entry.id as string));
  const unknown = named.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw new SkillError("SKILL_NOT_FOUND", `The manifest names the skill ${unknown}, which does not exist.`, {
    hint:
      didYouMean(suggest(unknown, [...known])) ?? "Correct `uses_skills` and `pins`, or add the skill first.",
    details: { id: unknown },
  });
}
