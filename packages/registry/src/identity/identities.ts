import { SignInRole, type SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentUser, type UserRecord } from "../record/agent.ts";
import { userLock } from "../record/lock.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { isLive, type StoredToken } from "../record/token.ts";
import type { IssuedToken, TokenContext } from "../token/put-token.ts";
import { startSession } from "./session.ts";

/** An identity that a provider vouches for. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Only one that the provider verified; in lower case. */
  readonly email: string | undefined;
  /** The role that the provider's groups give; undefined when they give none. */
  readonly role: SignInRole | undefined;
}

export interface IdentityRules {
  /** Whether people without an invitation get an account, named by their email. */
  readonly isOpen: boolean;
  /** The role of such an account. */
  readonly role: SignInRole;
  /** Set when a signed-in user proves their identity again: only an identity of this user counts. */
  readonly confirm?: { readonly user: string; readonly session: string } | undefined;
}

/**
 * Starts a session for a proven identity. The identity is its issuer and subject: an email only names a new account, or
 * finds the invitation that was made for it, once.
 */
export async function useIdentity(
  identity: ProvenIdentity,
  rules: IdentityRules,
  context: TokenContext,
): Promise<IssuedToken> {
  return await context.store.transaction(async (tx) => {
    const { issuer, subject } = identity;
    const known = await tx.findIdentity(issuer, subject);
    const { confirm } = rules;
    if (confirm !== undefined && known?.user !== confirm.user) throw otherIdentity();
    const linked = known === undefined ? await linkNew(identity, rules, tx, context) : undefined;
    const name = known?.user ?? linked?.name ?? "";
    await tx.lock(userLock(name));
    const user = await tx.findUser(name);
    const role = identity.role ?? user?.role ?? linked?.role;
    if (user?.inactiveSince !== undefined || role === undefined) throw refused();
    if (user !== undefined && user.role !== role) await tx.setUser({ ...user, role });
    const session = { user: name, role, method: "sso", replaces: confirm?.session } as const;
    return await startSession({ ...session, events: linked?.events }, tx, context);
  });
}

interface Linked {
  readonly name: string;
  readonly role: SignInRole;
  readonly events: readonly SkillEvent[];
}

async function linkNew(
  { issuer, subject, email, role }: ProvenIdentity,
  rules: IdentityRules,
  tx: RegistryTransaction,
  { clock }: TokenContext,
): Promise<Linked> {
  if (email === undefined || isAgentUser(email))
    throw new SkillError("FORBIDDEN", "The provider does not name a verified email address.", {
      hint: "Ask an administrator for a sign-in link.",
    });
  const now = clock.now();
  const at = now.toISOString();
  const invitation = (await tx.listTokens("sign-in")).find(
    (token) => token.user.toLowerCase() === email && token.agent === undefined && isLive(token, now),
  );
  const name = invitation?.user ?? email;
  await tx.lock(userLock(name));
  const account = await tx.findUser(name);
  if (invitation === undefined) rejectUninvited(account, rules);
  const given = role ?? roleOf(invitation) ?? rules.role;
  await tx.putUser({ name, displayName: undefined, createdAt: at });
  await tx.setUser({ name, role: given, inactiveSince: account?.inactiveSince });
  await tx.insertIdentity({ issuer, subject, user: name, createdAt: at });
  const by = { user: name, role: given };
  const events: SkillEvent[] = [{ type: "identity.linked", at, by, user: name, issuer }];
  if (invitation !== undefined) {
    await tx.putToken({ ...invitation, revokedAt: at });
    events.push({ type: "token.revoked", at, by, token: invitation.id });
  }
  return { name, role: given, events };
}

/** An account that exists belongs to a person who has not proved this identity. */
function rejectUninvited(account: UserRecord | undefined, { isOpen }: IdentityRules): void {
  if (isOpen && account === undefined) return;
  throw new SkillError("FORBIDDEN", "This identity has no account here.", {
    hint: "Ask an administrator for an invitation with your email address as the user name.",
  });
}

function roleOf(invitation: StoredToken | undefined): SignInRole | undefined {
  return SignInRole.safeParse(invitation?.role).data;
}

function otherIdentity(): SkillError {
  return new SkillError("FORBIDDEN", "This identity is not of the user who is signed in.", {
    hint: "Sign in at the provider as the same person, or use a passkey.",
  });
}

function refused(): SkillError {
  return new SkillError("FORBIDDEN", "This account is deactivated.", { hint: "Ask an administrator." });
}
