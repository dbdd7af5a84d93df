import { useIsAdmin, useRights } from "../../../api/session.tsx";
import type { SkillProps } from "../skill-view.ts";
import { SkillTimeline } from "./skill-timeline.tsx";
import { Usage } from "./usage.tsx";

/** The usage of a skill. Only administrators and its managers see the record itself. */
export function SkillActivity({ skill }: SkillProps) {
  const isAdmin = useIsAdmin();
  const isManager = useRights().manages(skill.registry);
  return (
    <>
      <Usage skill={skill} />
      {(isAdmin || isManager) && <SkillTimeline id={skill.entry.id} />}
    </>
  );
}
