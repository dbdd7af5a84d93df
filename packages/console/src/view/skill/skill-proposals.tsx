import { Panel } from "../../ui/page.tsx";
import { ProposalList } from "../proposals/proposal-list.tsx";
import type { SkillProps } from "./skill-view.ts";

/** The proposed changes of one skill. */
export function SkillProposals({ skill }: SkillProps) {
  return (
    <Panel title="Proposals">
      <ProposalList query={{ skill: skill.entry.id }} empty="No proposals for this skill" />
    </Panel>
  );
}
