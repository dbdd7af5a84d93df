import type { SkillProposer } from "@skillhold/core/session";
import { sessionProposer } from "@skillhold/registry/proposal";
import type { RegistryContext } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";

/** Proposes for a session at the gateway. Viewers only read. */
export function proposerFor(
  { role, user, token }: Principal,
  registry: RegistryContext,
): SkillProposer | undefined {
  return role === "viewer" ? undefined : sessionProposer({ user, token }, registry);
}
