import type { Actor, Role } from "@skillhold/protocol";

/** Who a request is from, as their token says. */
export interface Principal {
  readonly role: Role;
  readonly user: string;
  readonly agent: string | undefined;
  /** The token's id. */
  readonly token: string;
  /** A program sends its token; a browser has a cookie. */
  readonly kind: "api" | "session";
  readonly expiresAt: string;
}

/** Whether a person asks by themselves. Nobody else manages, oversees or decides anything. */
export function isPerson({ role, agent }: Pick<Principal, "role" | "agent">): boolean {
  return role !== "agent" && agent === undefined;
}

export function isAdministrator(principal: Principal): boolean {
  return principal.role === "admin" && isPerson(principal);
}

/** What a token lets its bearer be: an agent is no administrator, whoever's token it has. */
export function roleOf({ role, agent }: Pick<Principal, "role" | "agent">): Role {
  return role === "admin" && agent !== undefined ? "agent" : role;
}

/** Whether their sessions run what skills bring along. */
export function mayRun({ role }: Pick<Principal, "role">): boolean {
  return role !== "viewer";
}

/** As whom what they do is recorded. Contract: a role of the table may do it. */
export function actorOf({ role, user, agent }: Principal): Actor {
  return { user, role, ...(agent === undefined ? {} : { agent }) };
}
