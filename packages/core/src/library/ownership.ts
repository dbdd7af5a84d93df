import type { SkillEntry, Visibility } from "@skillhold/protocol";
import type { Viewer } from "./viewer.ts";

/** The viewers of a skill and their revisions. */
export interface Ownership {
  readonly owner: string;
  readonly visibility: Visibility;
  readonly isSystem: boolean;
  readonly grants: readonly GrantFacts[];
  /** Whether any viewer is pinned to a revision. */
  readonly isPinned: boolean;
  /** The entry of a pinned revision; undefined when its bytes are gone. */
  revision(number: number): SkillEntry | undefined;
}

/** The facts of a grant for the access decision. */
export interface GrantFacts {
  readonly grantee: { readonly kind: "agent" | "user"; readonly key: string };
  readonly pin: number | undefined;
}

/** The rule that gives a viewer access; the first match. */
export type AccessRule = "anyone" | "system" | "public" | "owner" | "agent-grant" | "user-grant";

export interface FoundRule {
  readonly rule: AccessRule;
  /** The rule in words, after a colon; undefined for skills without an owner. */
  readonly because?: string;
}

const ANYONE: FoundRule = Object.freeze({ rule: "anyone" });

/** The rule that gives the viewer access, or undefined. A skill without an owner is open. */
export function findRule(viewer: Viewer, ownership: Ownership | undefined): FoundRule | undefined {
  if (ownership === undefined) return ANYONE;
  const { owner, visibility, isSystem } = ownership;
  if (isSystem) return { rule: "system", because: "bundled with Skillhold" };
  if (visibility === "public") return { rule: "public", because: "public" };
  if (viewer.user === owner) return { rule: "owner", because: `${owner} owns it` };
  if (findGrant("agent", viewer.agent, ownership) !== undefined)
    return { rule: "agent-grant", because: `granted to the agent ${viewer.agent}` };
  if (findGrant("user", viewer.user, ownership) !== undefined)
    return { rule: "user-grant", because: `granted to the user ${viewer.user}` };
  return undefined;
}

/** Whether some viewers may lack access. */
export function isRestricted(ownership: Ownership | undefined): boolean {
  return ownership !== undefined && !ownership.isSystem && ownership.visibility !== "public";
}

/**
 * The pinned revision of a viewer: from the grant to its agent, then from the grant to its user, then from the agent's
 * record. The record comes last, because the agent's owner writes it and must not gain revisions that were not
 * granted.
 */
export function pinOf(
  id: string,
  viewer: Viewer,
  ownership: Pick<Ownership, "grants"> | undefined,
): number | undefined {
  const { pins, agent, user } = viewer;
  const granted =
    ownership && (findGrant("agent", agent, ownership)?.pin ?? findGrant("user", user, ownership)?.pin);
  // `Object.hasOwn`, because an id may equal a property of every object.
  return granted ?? (pins !== undefined && Object.hasOwn(pins, id) ? pins[id] : undefined);
}

function findGrant(
  kind: GrantFacts["grantee"]["kind"],
  key: string | undefined,
  { grants }: Pick<Ownership, "grants">,
): GrantFacts | undefined {
  if (key === undefined) return undefined;
  return grants.find(({ grantee }) => grantee.kind === kind && grantee.key === key);
}
