import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { rejectAgentActor } from "../access/ownership.ts";
import { tokenLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { TokenPage } from "../record/registry-store.ts";
import { type TokenRecord, withoutHash } from "./token.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Those for programs and those of browsers, the oldest first; revoked ones too, until they would have expired. */
export async function listTokens({ store }: RegistryContext): Promise<readonly TokenRecord[]> {
  return (await store.listTokens()).filter(({ kind }) => kind !== "sign-in").map(withoutHash);
}

/** The same, a page at a time. */
export async function listTokenPage(
  page: TokenPage,
  { store }: RegistryContext,
): Promise<readonly TokenRecord[]> {
  return (await store.listTokenPage(page)).map(withoutHash);
}

/** Takes a token back: it counts no more with the next call. For one who may not, a token of others is not there. */
export async function revokeToken(
  id: string,
  { by }: { readonly by: Actor },
  { store, clock }: RegistryContext,
): Promise<TokenRecord> {
  rejectAgentActor(by);
  // It may be a secret that was taken for an id, and is not repeated.
  if (!UUID.test(id)) throw new SkillError("TOKEN_NOT_FOUND", "That is not the id of a token.");
  return await store.transaction(async (tx) => {
    await tx.lock(tokenLock(id));
    const token = await tx.findToken(id);
    if (token?.id !== id || !mayRevoke(token, by)) throw notFound(id);
    if (token.revokedAt !== undefined) return withoutHash(token);
    const at = clock.now().toISOString();
    const revoked = { ...token, revokedAt: at };
    await tx.putToken(revoked);
    await tx.append({ type: "token.revoked", at, by, token: id });
    return withoutHash(revoked);
  });
}

function mayRevoke({ user }: TokenRecord, by: Actor): boolean {
  return by.role === "admin" || by.role === "system" || user === by.user;
}

function notFound(id: string): SkillError {
  return new SkillError("TOKEN_NOT_FOUND", `There is no token ${id}.`, { details: { token: id } });
}
