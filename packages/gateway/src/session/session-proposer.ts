import type { SkillProposer } from "@skillhold/core/session";
import { promoteWorkflow } from "@skillhold/registry/promotion";
import { sessionProposer } from "@skillhold/registry/proposal";
import type { RegistryContext } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";

/** Proposes for a session at the gateway. Viewers only read. */
export function proposerFor(
  { role, user, token }: Principal,
  registry: RegistryContext,
): SkillProposer | undefined {
  if (role === "viewer") return undefined;
  return {
    ...sessionProposer({ user, token }, registry),
    promote: async (packet, { agent = "" }, { session, search }) =>
      await promoteWorkflow(packet, { agent, token, session, search }, registry),
  };
}
