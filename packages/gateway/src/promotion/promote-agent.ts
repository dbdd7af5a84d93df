import { viewerFor } from "@skillhold/registry/access";
import { type Promoted, promoteWorkflow } from "@skillhold/registry/promotion";
import type { Principal } from "../auth/principal.ts";
import type { CatalogueContext } from "../running-context.ts";

/** Promotes a workflow of an agent. Contract: the principal may act for the agent. */
export async function promoteFor(
  agent: string,
  packet: unknown,
  principal: Pick<Principal, "token">,
  { registry, library }: Pick<CatalogueContext, "registry" | "library">,
): Promise<Promoted> {
  const viewer = await viewerFor(agent, undefined, registry);
  const search = async (text: string) => {
    const results = await library.search(viewer, text.slice(0, 1000), { limit: 5 });
    return results.map(({ entry: { id, name, description } }) => ({ id, name, description }));
  };
  return await promoteWorkflow(packet, { agent, token: principal.token, search }, registry);
}

/** The result without absent fields. */
export function viewOf({ draft, repetition, ...promoted }: Promoted) {
  return { ...promoted, repetition: { ...repetition }, ...(draft === undefined ? {} : { draft }) };
}
