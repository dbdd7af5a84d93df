import type { Actor, Role } from "@skillhold/protocol";
import type { ProposalActor } from "@skillhold/registry/record";

/** The bearer of a request's token. */
export interface Principal {
  readonly role: Role;
  readonly user: string;
  readonly agent: string | undefined;
  /** The token's id. */
  readonly token: string;
  /** `api`: a program that sends its token. `session`: a browser with a cookie. */
  readonly kind: "api" | "session";
  readonly expiresAt: string;
  /** When the token was issued; for a session, when its user signed in. */
  readonly issuedAt: string;
}

/** Whether the request comes from a person and not from an agent. Only people manage, oversee and approve. */
export function isPerson({ role, agent }: Pick<Principal, "role" | "agent">): boolean {
  return role !== "agent" && agent === undefined;
}

export function isAdministrator(principal: Principal): boolean {
  return principal.role === "admin" && isPerson(principal);
}

/** The role that a token gives: a token bound to an agent never gives the admin role. */
export function effectiveRole({ role, agent }: Pick<Principal, "role" | "agent">): Role {
  return role === "admin" && agent !== undefined ? "agent" : role;
}

/** Whether the principal's sessions may run scripts. */
export function mayRun({ role }: Pick<Principal, "role">): boolean {
  return role !== "viewer";
}

/** The actor that audit events name. Contract: the route table allows the principal's role. */
export function principalActor({ role, user, agent }: Principal): Actor {
  return { user, role, ...(agent === undefined ? {} : { agent }) };
}

/** The actor with its token, because a token never reviews its own proposal. */
export function proposalActor(principal: Principal): ProposalActor {
  return { ...principalActor(principal), token: principal.token };
}
