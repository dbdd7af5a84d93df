import type { Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { viewerFor } from "@skillhold/registry/access";
import type { GatewayContext } from "../gateway-context.ts";
import { getAgentFor } from "./agent-owner.ts";
import { isAdministrator, isPerson, type Principal } from "./principal.ts";

/** Whose eyes a request looks through, as its query says. */
export interface Looking {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly runtime?: string | undefined;
  readonly invoker?: "model" | "user" | undefined;
}

/**
 * The viewer of a request. A token's agent is who looks, and cannot be exchanged for another; a person may look as an
 * agent of theirs, and an administrator as anyone.
 */
export async function viewerOf(
  principal: Principal,
  looking: Looking,
  { registry }: Pick<GatewayContext, "registry">,
): Promise<Viewer> {
  const { agent = principal.agent, user = principal.user } = looking;
  await rejectOthers(principal, { agent, user }, registry);
  const viewer = await viewerFor(agent, user, registry);
  const { invoker } = looking;
  // The runtime of an agent on record is a matter of its record.
  const runtime = agent === undefined ? looking.runtime : undefined;
  return {
    ...viewer,
    ...(runtime === undefined ? {} : { runtime }),
    ...(invoker === undefined ? {} : { invoker }),
  };
}

/**
 * Who acts as an agent looks as nobody else: that its user has other agents is nothing to it. An agent of someone else's
 * is not there.
 */
async function rejectOthers(
  principal: Principal,
  { agent, user }: { readonly agent: string | undefined; readonly user: string },
  registry: GatewayContext["registry"],
): Promise<void> {
  if (isAdministrator(principal) || (user === principal.user && agent === principal.agent)) return;
  if (user !== principal.user || !isPerson(principal) || agent === undefined)
    throw new SkillError("FORBIDDEN", "You may not look through another's eyes.");
  await getAgentFor(agent, principal, registry);
}
