import type { Actor, Role, TokenKind } from "@skillhold/protocol";

/** What someone, or some program, is let in with: as whom, for what, and until when. What is secret is not in it. */
export interface TokenRecord {
  /** A UUID. */
  readonly id: string;
  readonly kind: TokenKind;
  /** For people: what it was made for. */
  readonly name: string;
  readonly role: Role;
  readonly user: string;
  /** The key of the agent that it acts as. */
  readonly agent: string | undefined;
  /** The user who issued it. */
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | undefined;
  /** To the minute; uses of the last moments may be missing. */
  readonly lastUsedAt: string | undefined;
}

/** A token as it is stored, and as nobody is shown it. */
export interface StoredToken extends TokenRecord {
  /** The SHA-256 of the secret, as 64 hexadecimal digits. */
  readonly hash: string;
}

/** As whom what is done with a token is recorded. */
export function tokenActor({ user, agent, role }: TokenRecord): Actor {
  return { user, role, ...(agent === undefined ? {} : { agent }) };
}

/** Whether it counts at a time: it was not revoked, and it is over at the very moment at which it expires. */
export function isLive({ revokedAt, expiresAt }: TokenRecord, now: Date): boolean {
  return revokedAt === undefined && now.getTime() < Date.parse(expiresAt);
}

/** The token as others may see it. */
export function withoutHash({ hash: _, ...token }: StoredToken): TokenRecord {
  return token;
}
