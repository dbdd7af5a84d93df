import type { Answer } from "../../api/client.ts";

export type SkillDetail = Answer<"GET /v1/skills/{id}">;
export type SkillFile = SkillDetail["files"][number];

/** The props of every part of the skill view. */
export interface SkillProps {
  readonly skill: SkillDetail;
}
