import type { Actor, SignInMethod, SkillEvent, TokenKind } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { userLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { type StoredToken, type TokenRecord, withoutHash } from "../record/token.ts";
import { hashSecret, makeSecret, type Random } from "./token-secret.ts";

/** A new token with its secret, which is available only here. */
export interface IssuedToken {
  readonly token: TokenRecord;
  readonly secret: string;
}

/** The fields of a new token. */
export interface TokenPlan
  extends Pick<TokenRecord, "kind" | "name" | "role" | "user" | "agent" | "createdBy"> {
  /** The lifetime; by default that of the kind. */
  readonly lifeMs?: number | undefined;
}

/** A token that is not stored yet. */
export interface PreparedToken {
  readonly stored: StoredToken;
  readonly secret: string;
}

/** Contract: the plan was validated. */
export function prepareToken({ lifeMs, ...plan }: TokenPlan, context: TokenContext): PreparedToken {
  const { clock, ids, limits, random } = context;
  const now = clock.now();
  const secret = makeSecret(random);
  const expires = now.getTime() + (lifeMs ?? lifeOf(plan.kind, limits));
  const stored = {
    id: ids.next(),
    ...plan,
    hash: hashSecret(secret),
    createdAt: now.toISOString(),
    expiresAt: new Date(expires).toISOString(),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  return { stored, secret };
}

/**
 * Stores the token, deletes some expired ones and returns the event to record. Throws FORBIDDEN for a deactivated user,
 * whose other tokens were revoked with the same lock.
 */
export async function storeToken(
  { stored }: PreparedToken,
  by: Actor,
  tx: RegistryTransaction,
  method?: SignInMethod,
): Promise<SkillEvent> {
  const { id: token, kind, role, user, agent, createdAt: at, expiresAt } = stored;
  await tx.lock(userLock(user), "shared");
  if ((await tx.findUser(user))?.inactiveSince !== undefined)
    throw new SkillError("FORBIDDEN", `${user} is deactivated.`, { hint: "Ask an administrator." });
  await tx.forgetExpired(new Date(at));
  await tx.putUser({ name: user, displayName: undefined, createdAt: at });
  await tx.putToken(stored);
  return {
    type: "token.issued",
    at,
    by,
    token,
    kind,
    role,
    user,
    ...(agent === undefined ? {} : { agent }),
    expiresAt,
    ...(method === undefined ? {} : { method }),
  };
}

export function issuedOf({ stored, secret }: PreparedToken): IssuedToken {
  return { token: withoutHash(stored), secret };
}

function lifeOf(kind: TokenKind, { tokenMs, signInMs, webSessionMs }: Limits): number {
  switch (kind) {
    case "api":
      return tokenMs;
    case "session":
      return webSessionMs;
    case "sign-in":
      return signInMs;
  }
}

/** The dependencies of token operations. */
export interface TokenContext extends RegistryContext {
  /** The source of secrets; by default the system's. */
  readonly random?: Random;
}
