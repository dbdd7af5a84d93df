import { SkillError } from "@skillhold/protocol/error";
import { tokenLock } from "../record/lock.ts";
import { findBySecret } from "./authenticate-token.ts";
import { type IssuedToken, issuedOf, prepareToken, putToken } from "./put-token.ts";
import { actorOf } from "./token.ts";
import type { TokenContext } from "./token-context.ts";

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
    const by = actorOf(signIn);
    const at = now.toISOString();
    await tx.putToken({ ...signIn, revokedAt: at });
    const session = prepareToken({ kind: "session", name, role, user, agent, createdBy }, context);
    const issued = await putToken(session, by, tx);
    await tx.appendAll([{ type: "token.revoked", at, by, token: id }, issued]);
    return issuedOf(session);
  });
}

function refused(): SkillError {
  return new SkillError("UNAUTHENTICATED", "This sign-in link has expired or was used before.", {
    hint: "Run `skillhold token sign-in` for a new one.",
  });
}
