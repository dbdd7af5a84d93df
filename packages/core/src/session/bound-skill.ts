import { SkillError } from "@skillhold/protocol";
import type { ActivateOptions } from "./activation.ts";
import type { ActivatedSkill, RepeatNote } from "./activation-text.ts";

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
