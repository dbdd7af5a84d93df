import type { Library, Viewer } from "@skillhold/core/library";
import type { FilePublisher } from "@skillhold/core/session";
import type { Role } from "@skillhold/protocol";
import { routeTable } from "@skillhold/protocol/http";
import type { RegistryContext } from "@skillhold/registry/record";
import { filePublisher } from "@skillhold/registry/release";
import { effectiveRole, isPerson, type Principal, principalActor } from "../auth/principal.ts";

export interface PublisherSource {
  readonly registry: RegistryContext;
  /** The skills of the registry. */
  readonly skills: Pick<Library, "find">;
}

const allowed: readonly Role[] = routeTable.uploadSkills.roles;

/**
 * Publishes for a session at the gateway, whose agent sends the files. Only roles that may upload have one. An agent can
 * only replace skills that it can see.
 */
export function sessionPublisher(
  principal: Principal,
  viewer: Viewer,
  { registry, skills }: PublisherSource,
): FilePublisher | undefined {
  if (!allowed.includes(effectiveRole(principal))) return undefined;
  const mayReplace = async (id: string) => (await skills.find(viewer, id)) !== undefined;
  return filePublisher(
    { by: principalActor(principal), ...(isPerson(principal) ? {} : { mayReplace }) },
    registry,
  );
}
