import { type PromotionInput, readEvidence, type SkillUpdateInput } from "@skillhold/protocol";
import type { z } from "zod";
import type { PromotedSkill, Proposed } from "./proposal.ts";
import type { Session } from "./session.ts";
import { succeedTool, type ToolResult } from "./tool-result.ts";

export async function promoteSkill(
  session: Session,
  input: z.infer<typeof PromotionInput>,
): Promise<ToolResult<PromotedSkill>> {
  const promoted = await session.proposals.promote({ promote_to_skill: true, ...input });
  const { proposal, skill, draft, repetition } = promoted;
  const { verdict, found, claimed } = repetition;
  return succeedTool(
    [
      `The proposal ${proposal} for ${skill} waits for a review.`,
      `The repetition is ${verdict}: the log has ${found} of ${claimed} sessions.`,
      ...(draft === undefined ? [] : [`You can use the draft ${draft} now. Other agents cannot see it.`]),
    ].join("\n"),
    promoted,
  );
}

type Update = z.infer<typeof SkillUpdateInput>;

/** Proposes a change of a skill, or a new skill where the input has no id. */
export async function proposeSkill(
  session: Session,
  input: Omit<Update, "skill_id"> & Partial<Pick<Update, "skill_id">>,
): Promise<ToolResult<Proposed>> {
  const { skill_id, justification, evidence: notes, ...change } = input;
  const request = { skill: skill_id, change, justification, evidence: readEvidence(notes) };
  const proposed = await session.proposals.propose(request);
  const { id, skill, kind, state, isNew, widened } = proposed;
  const subject = kind === "create" ? `the new skill ${skill}` : `a change of ${skill}`;
  return succeedTool(
    [
      `The proposal ${id} for ${subject} is ${isNew ? "stored" : "already open"}.`,
      endings[state] ?? `It is ${state}.`,
      ...(widened.length === 0 ? [] : [`It adds capabilities: ${widened.slice(0, 10).join(", ")}.`]),
    ].join("\n"),
    proposed,
  );
}

const endings: Readonly<Partial<Record<Proposed["state"], string>>> = {
  pending: "A person reviews it. The skill stays as it is until then.",
  stale: "The skill has changed since you read it, so the proposal must be rebased.",
  quarantined: "The content guard blocks it. A person decides what happens to it.",
};
