import type { Actor, Role, TokenKind } from "@skillhold/protocol";

/** A token without its secret: its owner, its permissions and its expiry. */
export interface TokenRecord {
  /** A UUID. */
  readonly id: string;
  readonly kind: TokenKind;
  /** A label for people. */
  readonly name: string;
  readonly role: Role;
  readonly user: string;
  /** The key of the agent that the token acts as. */
  readonly agent: string | undefined;
  /** The user who issued the token. */
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | undefined;
  /** Accurate to the minute; the latest uses may be missing. */
  readonly lastUsedAt: string | undefined;
}

/** A token as stored. Never returned to a client. */
export interface StoredToken extends TokenRecord {
  /** The SHA-256 of the secret, as 64 hexadecimal digits. */
  readonly hash: string;
}

/** The actor recorded for actions taken with the token. */
export function tokenActor({ user, agent, role }: TokenRecord): Actor {
  return { user, role, ...(agent === undefined ? {} : { agent }) };
}

/** Whether the token is neither revoked nor expired. It is expired from the exact moment of `expiresAt`. */
export function isLive({ revokedAt, expiresAt }: TokenRecord, now: Date): boolean {
  return revokedAt === undefined && now.getTime() < Date.parse(expiresAt);
}

/** The token as clients may see it. */
export function withoutHash({ hash: _, ...token }: StoredToken): TokenRecord {
  return token;
}
