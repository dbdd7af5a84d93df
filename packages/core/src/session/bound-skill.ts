import { SkillError } from "@skillhold/protocol";
import type { Library } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { ActivateOptions } from "./activation.ts";
import type { ActivatedSkill, RepeatNote } from "./activation-text.ts";
import type { AgentManifest } from "./manifest.ts";
import { didYouMean, suggest } from "./suggest.ts";

/** The part of a session that activates skills. */
export interface SkillActivator {
  list(): Promise<readonly { readonly id: string }[]>;
  activate(id: string, options: ActivateOptions): Promise<ActivatedSkill | RepeatNote>;
}

/** Activates a skill of `uses_skills`. The operator names it, so it may be one that only models or only users can activate. */
export async function bindSkill(id: string, agent: string, session: SkillActivator): Promise<ActivatedSkill> {
  const isForModel = (await session.list()).some((entry) => entry.id === id);
  try {
    const bound = await session.activate(id, { again: true, invoker: isForModel ? "model" : "user" });
    // With `again`, an activation always returns the whole text.
    return bound as ActivatedSkill;
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
    throw new SkillError(
      "SKILL_NOT_FOUND",
      `The agent ${agent} uses the skill ${id}, which does not exist.`,
      {
        hint: error.hint,
        details: { ...error.details, agent, id },
        cause: error,
      },
    );
  }
}

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
