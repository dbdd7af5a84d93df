import type { Actor, SkillEvent } from "@skillhold/protocol";
import { errorTable } from "@skillhold/protocol/error";

/** Stands where a name is that is nothing to the one who is told. */
export const SOMEONE = "someone";

/**
 * An event for those whom it concerns and who do not manage the skill: the same, without who did it, where it came from,
 * and what the gateway's machine has. It is as valid as before.
 */
export function redactEvent(event: SkillEvent): SkillEvent {
  switch (event.type) {
    case "skill.published": {
      const { source, at, by } = event.provenance;
      return { ...event, by: hidden(event.by), provenance: { source, at, by: hidden(by) } };
    }
    case "skill.status_changed": {
      const { reason, ...rest } = event;
      // Any other reason is someone's words.
      return { ...rest, by: hidden(event.by), ...(reason === "deps" ? { reason } : {}) };
    }
    case "skill.rolled_back":
    case "skill.deleted":
    case "skill.restored":
    case "skill.edited":
    case "skill.toggled":
    case "grant.given":
    case "grant.revoked":
      return { ...event, by: hidden(event.by) };
    case "run.requested":
    case "approval.asked":
      return { ...event, mounts: withoutSources(event.mounts) };
    case "run.approved": {
      const { by: _, ...rest } = event;
      return rest;
    }
    case "approval.granted":
    case "approval.denied":
      return { ...event, by: SOMEONE, mounts: withoutSources(event.mounts) };
    case "skill.denied":
      return redactDenial(event);
    default:
      return event;
  }
}

/** What they may do says nothing about who they are. */
function hidden({ role }: Actor): Actor {
  return { user: SOMEONE, role };
}

type Mounts = Extract<SkillEvent, { readonly type: "run.requested" }>["mounts"];

function withoutSources(mounts: Mounts): Mounts {
  return mounts.map((mount) => ({ ...mount, source: "" }));
}

type Denial = Extract<SkillEvent, { readonly type: "skill.denied" }>;

/** The record says of a skill that it is hidden and why; whoever asked was told that there is none. */
function redactDenial(event: Denial): Denial {
  if (Object.hasOwn(errorTable, event.reason)) return event;
  return { ...event, reason: "SKILL_NOT_FOUND", message: `There is no skill ${event.skill}.` };
}
