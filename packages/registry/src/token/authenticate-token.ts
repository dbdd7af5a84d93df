import type { TokenKind } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { tokenLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import { isLive, type StoredToken, type TokenRecord, tokenActor, withoutHash } from "../record/token.ts";
import type { TokenContext } from "./put-token.ts";
import { type IssuedToken, issuedOf, prepareToken, storeToken } from "./put-token.ts";
import { hashSecret, isSameHash, isSecret } from "./token-secret.ts";

/** How often it is written down that a token is in use. */
const TOUCH_MS = 60_000;

/**
 * The token of a secret that counts now, for what its kind is for; undefined for any other text, in a time that does
 * not depend on how much of it is right. What was revoked, or acts as an agent that was taken away, counts no more
 * with the next call.
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

/** The same for whoever goes on with what is stored. */
export async function findBySecret(
  secret: string,
  kind: TokenKind,
  now: Date,
  reader: Pick<RegistryReader, "findToken" | "findAgent">,
): Promise<StoredToken | undefined> {
  if (!isSecret(secret)) return undefined;
  const hash = hashSecret(secret);
  const token = await reader.findToken(hash);
  // A database compares in its own time, and may be more lenient than we are.
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
 * Turns what someone signs in with into a session. It counts once: of two who use it at the same moment, one gets a
 * session. Throws UNAUTHENTICATED, in the same words whatever is wrong with it.
 */
export async function useSignIn(secret: string, context: TokenContext): Promise<IssuedToken> {
  const { store, clock } = context;
  // Those who guess keep no writer waiting.
  const found = await findBySecret(secret, "sign-in", clock.now(), store);
  if (found === undefined) throw refused();
  return await store.transaction(async (tx) => {
    await tx.lock(tokenLock(found.id));
    // It may have expired while it waited.
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
