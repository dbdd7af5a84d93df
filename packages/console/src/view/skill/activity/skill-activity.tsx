import { useIsAdmin } from "../../../api/session.tsx";
import type { SkillProps } from "../skill-view.ts";
import { SkillTimeline } from "./skill-timeline.tsx";
import { Usage } from "./usage.tsx";

/** The usage of a skill. Only administrators see the record itself. */
export function SkillActivity({ skill }: SkillProps) {
  const isAdmin = useIsAdmin();
  return (
    <>
      <Usage skill={skill} />
      {isAdmin && <SkillTimeline id={skill.entry.id} />}
    </>
  );
}
