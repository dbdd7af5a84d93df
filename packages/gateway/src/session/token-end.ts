import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";

/** What someone was let in by. */
export type Bearer = Pick<Principal, "token" | "agent" | "expiresAt">;

/** Whether it counts no more: the token has expired, was revoked or is not there, or its agent was taken away. */
export async function isOver(
  { token, agent, expiresAt }: Bearer,
  { store, clock }: Pick<RegistryContext, "store" | "clock">,
): Promise<boolean> {
  if (Date.parse(expiresAt) <= clock.now().getTime()) return true;
  const found = await store.findToken(token);
  if (found === undefined || found.revokedAt !== undefined) return true;
  if (agent === undefined) return false;
  const acting = await store.findAgent(agent);
  return acting === undefined || acting.removedAt !== undefined;
}

/** The refusal for what was begun while it counted. */
export function noLonger(): SkillError {
  return new SkillError("UNAUTHENTICATED", "The token is no longer valid, or its agent was removed.");
}
