import { SignInRole, type TokenKind } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { tokenLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import { isLive, type StoredToken, type TokenRecord, tokenActor, withoutHash } from "../record/token.ts";
import type { TokenContext } from "./put-token.ts";
import { type IssuedToken, issuedOf, prepareToken, storeToken } from "./put-token.ts";
import { hashSecret, isSameHash, isSecret } from "./token-secret.ts";

/** How often the last use of a token is recorded. */
const TOUCH_MS = 60_000;

/**
 * The valid token of this kind for a secret, or undefined. The time does not depend on how much of the secret
 * is right. Revoking a token or removing its agent takes effect with the next call.
 */
export async function authenticateToken(
  secret: string,
  kind: TokenKind,
  { store, clock }: RegistryContext,
): Promise<TokenRecord | undefined> {
  const now = clock.now();
  const token = await findBySecret(secret, kind, now, store);
  if (token === undefined) return undefined;
  const { id, lastUsedAt } = token;
  if (lastUsedAt === undefined || now.getTime() - Date.parse(lastUsedAt) >= TOUCH_MS)
    store.touchTokens(new Map([[id, now.toISOString()]]));
  return withoutHash(token);
}

/** The stored token of a secret, for further updates. */
export async function findBySecret(
  secret: string,
  kind: TokenKind,
  now: Date,
  reader: Pick<RegistryReader, "findToken" | "findAgent">,
): Promise<StoredToken | undefined> {
  if (!isSecret(secret)) return undefined;
  const hash = hashSecret(secret);
  const token = await reader.findToken(hash);
  // Databases do not compare in constant time and may be more lenient.
  if (token === undefined || !isSameHash(token.hash, hash)) return undefined;
  if (token.kind !== kind || !isLive(token, now)) return undefined;
  return (await isAgentThere(token, reader)) ? token : undefined;
}

async function isAgentThere(
  { agent: key, role }: TokenRecord,
  reader: Pick<RegistryReader, "findAgent">,
): Promise<boolean> {
  if (key === undefined) return role !== "agent";
  const agent = await reader.findAgent(key);
  return agent?.key === key && agent.removedAt === undefined;
}

/** A session is extended at most once a day, so that most requests write nothing. */
const RENEW_MS = 86_400_000;

/**
 * Extends a session that is in use, and returns its expiry. Revoked and expired sessions stay so. A store that rejects
 * the write leaves the session as it is.
 */
export async function renewSession(
  { id, expiresAt }: Pick<TokenRecord, "id" | "expiresAt">,
  { store, clock, limits }: RegistryContext,
): Promise<string> {
  const now = clock.now();
  const until = now.getTime() + limits.webSessionMs;
  if (until - Date.parse(expiresAt) < Math.min(RENEW_MS, limits.webSessionMs / 2)) return expiresAt;
  const next = new Date(until).toISOString();
  try {
    await store.transaction((tx) => tx.extendSession(id, next, now));
    return next;
  } catch {
    return expiresAt;
  }
}

/**
 * Exchanges a sign-in token for a session. A sign-in works once, even with concurrent calls. Throws
 * UNAUTHENTICATED and says whether the link was used, has expired or is unknown; only its bearer learns that.
 */
export async function useSignIn(secret: string, context: TokenContext): Promise<IssuedToken> {
  const { store, clock } = context;
  // Wrong guesses must not take the write lock.
  const found = await findBySecret(secret, "sign-in", clock.now(), store);
  if (found === undefined) throw await refused(secret, store, clock.now());
  return await store.transaction(async (tx) => {
    await tx.lock(tokenLock(found.id));
    // The token may have expired while waiting for the lock.
    const now = clock.now();
    const signIn = await findBySecret(secret, "sign-in", now, tx);
    if (signIn === undefined) throw await refused(secret, tx, now);
    const { id, name, role, user, agent, createdBy } = signIn;
    const by = tokenActor(signIn);
    const at = now.toISOString();
    await tx.putToken({ ...signIn, revokedAt: at });
    const session = prepareToken({ kind: "session", name, role, user, agent, createdBy }, context);
    const issued = await storeToken(session, by, tx, "link");
    const signInRole = SignInRole.safeParse(role);
    // Later sign-ins with a passkey have the role of the last link.
    if (agent === undefined && signInRole.success) await tx.setUser({ name: user, role: signInRole.data });
    await tx.appendAll([{ type: "token.revoked", at, by, token: id }, issued]);
    return issuedOf(session);
  });
}

async function refused(
  secret: string,
  reader: Pick<RegistryReader, "findToken">,
  now: Date,
): Promise<SkillError> {
  const token = await reader.findToken(hashSecret(secret));
  const isOurs = token?.kind === "sign-in" && isSameHash(token.hash, hashSecret(secret));
  if (!isOurs)
    return new SkillError(
      "UNAUTHENTICATED",
      "This sign-in link was not issued by the store of this gateway.",
      {
        hint: "Run `skillhold token sign-in` with the store of the gateway: its --store, or SKILLHOLD_DATA set to its --data folder.",
      },
    );
  const isExpired = Date.parse(token.expiresAt) <= now.getTime() && token.revokedAt === undefined;
  const cause = isExpired
    ? "has expired"
    : token.revokedAt === undefined
      ? "is no longer valid"
      : "was used before or revoked";
  return new SkillError("UNAUTHENTICATED", `This sign-in link ${cause}.`, {
    hint: "Run `skillhold token sign-in` for a new one.",
  });
}
