import type { Answer } from "../../api/client.ts";

export type SkillDetail = Answer<"GET /v1/skills/{id}">;
export type SkillFile = SkillDetail["files"][number];

/** What every part of the view is given. */
export interface SkillProps {
  readonly skill: SkillDetail;
}
