import type { TokenKind } from "@skillhold/protocol";
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

/**
 * Exchanges a sign-in token for a session. A sign-in works once, even with concurrent calls. Throws
 * UNAUTHENTICATED with the same message for every cause.
 */
export async function useSignIn(secret: string, context: TokenContext): Promise<IssuedToken> {
  const { store, clock } = context;
  // Wrong guesses must not take the write lock.
  const found = await findBySecret(secret, "sign-in", clock.now(), store);
  if (found === undefined) throw refused();
  return await store.transaction(async (tx) => {
    await tx.lock(tokenLock(found.id));
    // The token may have expired while waiting for the lock.
    const now = clock.now();
    const signIn = await findBySecret(secret, "sign-in", now, tx);
    if (signIn === undefined) throw refused();
    const { id, name, role, user, agent, createdBy } = signIn;
    const by = tokenActor(signIn);
    const at = now.toISOString();
    await tx.putToken({ ...signIn, revokedAt: at });
    const session = prepareToken({ kind: "session", name, role, user, agent, createdBy }, context);
    const issued = await storeToken(session, by, tx);
    await tx.appendAll([{ type: "token.revoked", at, by, token: id }, issued]);
    return issuedOf(session);
  });
}

function refused(): SkillError {
  return new SkillError("UNAUTHENTICATED", "This sign-in link has expired or was used before.", {
    hint: "Run `skillhold token sign-in` for a new one.",
  });
}
