import type { Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { viewerFor } from "@skillhold/registry/access";
import { agentUser } from "@skillhold/registry/token";
import type { GatewayContext } from "../gateway-context.ts";
import { getAgentFor } from "./agent-owner.ts";
import { isAdministrator, isPerson, type Principal } from "./principal.ts";

/** The viewer that a query asks for. */
export interface ViewerQuery {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly runtime?: string | undefined;
  readonly invoker?: Viewer["invoker"];
}

/**
 * The viewer of a request. A token that is bound to an agent always views as that agent. A person may view as one of
 * their agents, for themselves or for no person, and an administrator as any user or agent.
 */
export async function requestViewer(
  principal: Principal,
  query: ViewerQuery,
  { registry }: Pick<GatewayContext, "registry">,
): Promise<Viewer> {
  const { agent = principal.agent, user = principal.user } = query;
  await rejectForbidden(principal, { agent, user }, registry);
  const viewer = await viewerFor(agent, user, registry);
  const { invoker } = query;
  // The record of an agent decides its runtime.
  const runtime = agent === undefined ? query.runtime : undefined;
  return {
    ...viewer,
    ...(runtime === undefined ? {} : { runtime: runtime.includes(",") ? runtime.split(",") : runtime }),
    ...(invoker === undefined ? {} : { invoker }),
  };
}

/** An agent may not learn whether its user has other agents. Another user's agent does not exist for the principal. */
async function rejectForbidden(
  principal: Principal,
  { agent, user }: { readonly agent: string | undefined; readonly user: string },
  registry: GatewayContext["registry"],
): Promise<void> {
  if (isAdministrator(principal) || (user === principal.user && agent === principal.agent)) return;
  const isOwn = user === principal.user || (agent !== undefined && user === agentUser(agent));
  if (!isOwn || !isPerson(principal) || agent === undefined)
    throw new SkillError("FORBIDDEN", "Only administrators can view skills as another user.", {
      hint: "Leave out `user` and `agent`.",
    });
  await getAgentFor(agent, principal, registry);
}
