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

/** As whom what they do is recorded. Contract: a role of the table may do it. */
export function actorOf({ role, user, agent }: Principal): Actor {
  return { user, role, ...(agent === undefined ? {} : { agent }) };
}
