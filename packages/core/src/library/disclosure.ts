import type { SkillDecision } from "./access.ts";
import { findRule } from "./ownership.ts";
import type { Viewer } from "./viewer.ts";

/**
 * How much a viewer may learn about a skill. `none`: the skill does not exist for the viewer. `existence`: the viewer may
 * know its id and why it is hidden. `details`: the viewer may see everything about it.
 */
export type Disclosure = "none" | "existence" | "details";

/** The skill that disclosure is decided for. A skill in a folder has no standing. */
export interface DisclosureSubject {
  readonly id: string;
  readonly standing: SkillDecision | undefined;
}

export interface DisclosureRequest {
  readonly viewer: Viewer;
  /** Whether `decideAccess` shows the skill to the viewer. */
  readonly isVisible: boolean;
  /** Whether the person behind the request manages the skill or administers the place it is in. */
  readonly isOverseer: boolean;
}

/**
 * The one disclosure decision. Every answer that names a skill, lists it, or explains why it is hidden depends on it.
 */
export function discloseSkill(
  skill: DisclosureSubject,
  { viewer, isVisible, isOverseer }: DisclosureRequest,
): Disclosure {
  if (isVisible || isOverseer) return "details";
  return mayKnow(skill, viewer) ? "existence" : "none";
}

/**
 * Whether the viewer may know of the skill, switched on or off. A viewer that is pinned to a missing revision may: it has
 * a right to the skill, and the missing revision is the reason it is shown.
 */
export function mayKnow({ id, standing }: DisclosureSubject, viewer: Viewer): boolean {
  if (viewer.allow !== undefined && !viewer.allow.includes(id)) return false;
  return findRule(viewer, standing?.ownership) !== undefined;
}
