import type { SignInMethod, SignInRole, SkillEvent } from "@skillhold/protocol";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { isLive } from "../record/token.ts";
import {
  type IssuedToken,
  issuedOf,
  prepareToken,
  storeToken,
  type TokenContext,
} from "../token/put-token.ts";

export interface NewSession {
  readonly user: string;
  readonly role: SignInRole;
  readonly method: Exclude<SignInMethod, "link">;
  /** The id of the session that the new one replaces. */
  readonly replaces?: string | undefined;
  /** Recorded before the session. */
  readonly events?: readonly SkillEvent[] | undefined;
}

/** Starts a browser session, as the last step of a transaction. Contract: the user has proved their identity. */
export async function startSession(
  { user, role, method, replaces, events: before = [] }: NewSession,
  tx: RegistryTransaction,
  context: TokenContext,
): Promise<IssuedToken> {
  const by = { user, role };
  const plan = { kind: "session", name: method, role, user, agent: undefined, createdBy: user } as const;
  const session = prepareToken(plan, context);
  const now = context.clock.now();
  const old = replaces === undefined ? undefined : await tx.findToken(replaces);
  const events: SkillEvent[] = [...before];
  if (old?.id === replaces && old?.kind === "session" && isLive(old, now)) {
    await tx.putToken({ ...old, revokedAt: now.toISOString() });
    events.push({ type: "token.revoked", at: now.toISOString(), by, token: old.id });
  }
  const issued = await storeToken(session, by, tx, method);
  await tx.appendAll([...events, issued]);
  return issuedOf(session);
}
