import { type Actor, SignInRole } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { rejectAgentActor } from "../ownership/ownership.ts";
import { userLock } from "../record/lock.ts";
import type { PasskeyRecord } from "../record/passkey.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { checkText } from "../record/text-field.ts";
import type { IssuedToken, TokenContext } from "../token/put-token.ts";
import { startSession } from "./session.ts";

export interface NewPasskey
  extends Pick<PasskeyRecord, "credential" | "publicKey" | "counter" | "transports"> {
  readonly name: string;
}

const MAX_NAME = 128;

/** Adds a passkey to the actor's own. Contract: the credential was verified. */
export async function addPasskey(
  { name, credential, publicKey, counter, transports }: NewPasskey,
  { by }: { readonly by: Actor },
  { store, clock, ids, limits }: RegistryContext,
): Promise<PasskeyRecord> {
  rejectAgentActor(by);
  const label = checkText("passkey name", name, MAX_NAME);
  const { user } = by;
  return await store.transaction(async (tx) => {
    await tx.lock(userLock(user));
    if ((await tx.listPasskeys(user)).length >= limits.passkeysPerUser)
      throw new SkillError("LIMIT_EXCEEDED", `A user has at most ${limits.passkeysPerUser} passkeys.`, {
        hint: "Remove one that is no longer used.",
      });
    if ((await tx.findPasskey(credential)) !== undefined)
      throw new SkillError("CONFLICT", "This passkey is registered already.", { hint: "Use it to sign in." });
    const at = clock.now().toISOString();
    const facts = { credential, publicKey, counter, transports, createdAt: at, lastUsedAt: undefined };
    const passkey: PasskeyRecord = { id: ids.next(), user, name: label, ...facts };
    await tx.putPasskey(passkey);
    const account = await tx.findUser(user);
    // A session from before roles were stored.
    if (account !== undefined && account.role === undefined)
      await tx.setUser({ ...account, role: SignInRole.parse(by.role) });
    await tx.append({ type: "passkey.added", at, by, user, passkey: passkey.id });
    return passkey;
  });
}

/** Removes a passkey of the actor, or of anyone for administrators. Others are not found. */
export async function removePasskey(
  id: string,
  { by }: { readonly by: Actor },
  { store, clock }: RegistryContext,
): Promise<PasskeyRecord> {
  rejectAgentActor(by);
  return await store.transaction(async (tx) => {
    const found = await tx.findPasskey(id);
    if (found?.id !== id || !(found.user === by.user || by.role === "admin" || by.role === "system"))
      throw new SkillError("PASSKEY_NOT_FOUND", `There is no passkey ${id.slice(0, 80)}.`);
    await tx.lock(userLock(found.user));
    await tx.removePasskey(id);
    const at = clock.now().toISOString();
    await tx.append({ type: "passkey.removed", at, by, user: found.user, passkey: id });
    return found;
  });
}

export interface PasskeyUse {
  /** The credential id. */
  readonly credential: string;
  /** The signature counter of the assertion. */
  readonly counter: number;
  /** The id of the session that the new one replaces. */
  readonly replaces?: string | undefined;
}

/**
 * Starts a session with a passkey. Contract: the assertion was verified with the stored key. Returns undefined for a
 * passkey that was removed, for a user who cannot sign in, and for a counter that did not increase: that authenticator
 * was copied.
 */
export async function usePasskey(
  { credential, counter, replaces }: PasskeyUse,
  context: TokenContext,
): Promise<IssuedToken | undefined> {
  return await context.store.transaction(async (tx) => {
    const found = await tx.findPasskey(credential);
    if (found === undefined) return undefined;
    await tx.lock(userLock(found.user));
    const passkey = await tx.findPasskey(credential);
    const user = await tx.findUser(found.user);
    if (passkey === undefined || user?.role === undefined || user.inactiveSince !== undefined)
      return undefined;
    if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) return undefined;
    const at = context.clock.now().toISOString();
    await tx.putPasskey({ ...passkey, counter, lastUsedAt: at });
    const { name, role } = user;
    return await startSession({ user: name, role, method: "passkey", replaces }, tx, context);
  });
}
