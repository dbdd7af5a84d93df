import type { SkillEvent } from "@skillhold/protocol";

type EventType = SkillEvent["type"];

/** Groups of related events for the filter. */
export const eventGroups = {
  use: "Skills in use",
  runs: "Scripts and tools",
  approvals: "Approvals",
  refusals: "Refusals",
  releases: "Releases",
  proposals: "Proposals",
  access: "Access",
  people: "Agents and tokens",
} as const;
export type EventGroup = keyof typeof eventGroups;

/** One entry per event type: a new type does not compile without its group. */
const groups: Readonly<Record<EventType, EventGroup>> = {
  "session.opened": "use",
  "session.closed": "use",
  "skill.discovered": "releases",
  "skill.shadowed": "releases",
  "skill.activated": "use",
  "skill.deactivated": "use",
  "skill.resource_read": "use",
  "skill.served": "use",
  "run.requested": "runs",
  "run.approved": "runs",
  "skill.script_executed": "runs",
  "skill.tool_called": "runs",
  "skill.deps_installed": "runs",
  "approval.asked": "approvals",
  "approval.answered": "approvals",
  "approval.used": "approvals",
  "approval.granted": "approvals",
  "approval.denied": "approvals",
  "approval.revoked": "approvals",
  "secret.set": "access",
  "secret.removed": "access",
  "skill.denied": "refusals",
  "skill.published": "releases",
  "skill.rolled_back": "releases",
  "skill.deleted": "releases",
  "skill.restored": "releases",
  "skill.purged": "releases",
  "skill.edited": "releases",
  "skill.status_changed": "releases",
  "skill.toggled": "access",
  "skill.approvers_changed": "access",
  "grant.given": "access",
  "grant.requested": "access",
  "grant.declined": "access",
  "grant.revoked": "access",
  "agent.added": "people",
  "agent.changed": "people",
  "agent.removed": "people",
  "token.issued": "people",
  "token.revoked": "people",
  "passkey.added": "people",
  "passkey.removed": "people",
  "identity.linked": "people",
  "user.changed": "people",
  "audit.key_changed": "people",
  "audit.pruned": "people",
  "guard.blocked": "refusals",
  "eval.recorded": "releases",
  "guard.waived": "releases",
  "guard.rescanned": "releases",
  "workspace.changed": "people",
  "workspace.card_updated": "people",
  "workspace.status_changed": "people",
  "workspace.task_changed": "people",
  "workspace.activity": "people",
  "webhook.changed": "access",
  "proposal.created": "proposals",
  "proposal.reviewed": "proposals",
  "proposal.withdrawn": "proposals",
  "proposal.stale": "proposals",
  "proposal.rebased": "proposals",
  "proposal.applied": "proposals",
};

export function isEventGroup(text: string): text is EventGroup {
  return Object.hasOwn(eventGroups, text);
}

/** The types of a group, as the record is asked for them. */
export function typesOf(group: EventGroup): string {
  return Object.entries(groups)
    .flatMap(([type, each]) => (each === group ? [type] : []))
    .join(",");
}
