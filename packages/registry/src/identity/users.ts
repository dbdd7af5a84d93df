import type { Actor, SignInRole, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { rejectAgentActor } from "../ownership/ownership.ts";
import type { UserRecord } from "../record/agent.ts";
import { userLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { isLive } from "../record/token.ts";
import { isHigherRole } from "../token/tokens.ts";

export interface UserChange {
  /** The role of later sign-ins. */
  readonly role?: SignInRole | undefined;
  readonly isActive?: boolean | undefined;
}

/**
 * Sets the role of a user or whether they are active. Revokes their tokens that go beyond the new role, or all of them.
 * Administrators cannot change themselves, so that one always remains.
 */
export async function changeUser(
  name: string,
  change: UserChange,
  { by }: { readonly by: Actor },
  { store, clock }: RegistryContext,
): Promise<UserRecord> {
  rejectAgentActor(by);
  if (by.role !== "admin" && by.role !== "system")
    throw new SkillError("POLICY_DENIED", "Only administrators can change users.");
  if (by.user === name)
    throw new SkillError("POLICY_DENIED", "Administrators cannot change their own role or state.", {
      hint: "Ask another administrator.",
    });
  return await store.transaction(async (tx) => {
    await tx.lock(userLock(name));
    const user = await tx.findUser(name);
    if (user === undefined) throw new SkillError("USER_NOT_FOUND", `There is no user ${name.slice(0, 80)}.`);
    const now = clock.now();
    const at = now.toISOString();
    const isActive = change.isActive ?? user.inactiveSince === undefined;
    const role = change.role ?? user.role;
    const next = { ...user, role, inactiveSince: isActive ? undefined : (user.inactiveSince ?? at) };
    await tx.setUser(next);
    const events: SkillEvent[] = [
      { type: "user.changed", at, by, user: name, isActive, ...(role === undefined ? {} : { role }) },
    ];
    for (const token of await tx.listTokens()) {
      if (token.user !== name || !isLive(token, now)) continue;
      if (isActive && (change.role === undefined || !isHigherRole(token.role, change.role))) continue;
      await tx.putToken({ ...token, revokedAt: at });
      events.push({ type: "token.revoked", at, by, token: token.id });
    }
    await tx.appendAll(events);
    return next;
  });
}
