import type { SkillEntry, Visibility } from "@skillhold/protocol";
import type { Viewer } from "./viewer.ts";

/** Who may use a skill, and in which revision. */
export interface Ownership {
  readonly owner: string;
  readonly visibility: Visibility;
  readonly isSystem: boolean;
  readonly grants: readonly HeldGrant[];
  /** Whether anyone is held to a revision of it. */
  readonly isPinned: boolean;
  /** The entry of a revision that a grant or an agent's record names; undefined when its bytes are gone. */
  revision(number: number): SkillEntry | undefined;
}

/** What a gate needs of a grant. */
export interface HeldGrant {
  readonly grantee: { readonly kind: "agent" | "user"; readonly key: string };
  readonly pin: number | undefined;
}

/** By what a viewer may use a skill, the first that fits. */
export type AccessRule = "anyone" | "system" | "public" | "owner" | "agent-grant" | "user-grant";

export interface FoundRule {
  readonly rule: AccessRule;
  /** The rule in words, to stand after a colon; undefined where nobody owns anything. */
  readonly because?: string;
}

/** The rule that lets the viewer use a skill, or undefined. What nobody owns is anyone's. */
export function findRule(viewer: Viewer, ownership: Ownership | undefined): FoundRule | undefined {
  if (ownership === undefined) return { rule: "anyone" };
  const { owner, visibility, isSystem } = ownership;
  if (isSystem) return { rule: "system", because: "it comes with Skillhold" };
  if (visibility === "public") return { rule: "public", because: "it is public" };
  if (viewer.user === owner) return { rule: "owner", because: `${owner} owns it` };
  if (findGrant("agent", viewer.agent, ownership) !== undefined)
    return { rule: "agent-grant", because: `it was granted to the agent ${viewer.agent}` };
  if (findGrant("user", viewer.user, ownership) !== undefined)
    return { rule: "user-grant", because: `it was granted to the user ${viewer.user}` };
  return undefined;
}

/** Whether there may be viewers who cannot use it. */
export function isRestricted(ownership: Ownership | undefined): boolean {
  return ownership !== undefined && !ownership.isSystem && ownership.visibility !== "public";
}

/**
 * The revision that a viewer is held to: by the grant to its agent, by the one to its user, by its own record. That is
 * last, since whoever the agent belongs to writes it, and would else get what was not granted.
 */
export function pinOf(
  id: string,
  viewer: Viewer,
  ownership: Pick<Ownership, "grants"> | undefined,
): number | undefined {
  const { pins = {}, agent, user } = viewer;
  const granted =
    ownership && (findGrant("agent", agent, ownership)?.pin ?? findGrant("user", user, ownership)?.pin);
  // An id may be the name of something that every object has.
  return granted ?? (Object.hasOwn(pins, id) ? pins[id] : undefined);
}

function findGrant(
  kind: HeldGrant["grantee"]["kind"],
  key: string | undefined,
  { grants }: Pick<Ownership, "grants">,
): HeldGrant | undefined {
  if (key === undefined) return undefined;
  return grants.find(({ grantee }) => grantee.kind === kind && grantee.key === key);
}
