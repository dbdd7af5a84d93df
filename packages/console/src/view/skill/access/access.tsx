import { useIsAdmin, useRights } from "../../../api/session.tsx";
import type { SkillProps } from "../skill-view.ts";
import { AgentAccess } from "./agent-access.tsx";
import { Approvers } from "./approvers.tsx";
import { Explain } from "./explain.tsx";
import { Grants } from "./grants.tsx";
import { VisibilityPanel } from "./visibility.tsx";

/** The users and agents that may use a skill, and why. */
export function Access({ skill }: SkillProps) {
  const canManage = useRights().manages(skill.registry);
  const isAdmin = useIsAdmin();
  return (
    <>
      <VisibilityPanel skill={skill} />
      {canManage && <Grants skill={skill} />}
      {skill.registry !== undefined && (canManage || isAdmin) && <Approvers skill={skill} />}
      <Explain skill={skill} />
      <AgentAccess skill={skill} />
    </>
  );
}
