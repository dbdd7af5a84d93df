import { type CheckRequest, environmentOf } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import type { RegisteredSkill, Revision } from "@skillhold/registry/record";
import { materialise } from "@skillhold/registry/release";
import type { DependencyPorts, GatewayContext } from "../gateway-context.ts";

/** What looking at a stored skill takes. */
export interface StoredSkillPorts extends Pick<GatewayContext, "registry"> {
  readonly dependencies: DependencyPorts;
}

/** A skill of the registry as it counts now. */
export interface StoredSkill {
  readonly row: RegisteredSkill;
  readonly revision: Revision;
}

/** Whether its dependencies are of interest: what is off or deleted is not looked at. */
export function isChecked({ isEnabled, status }: RegisteredSkill): boolean {
  return isEnabled && status !== "deleted";
}

/** Undefined for what is not there, or not looked at. */
export async function findStored(
  idOrUid: string,
  { registry: { store } }: Pick<GatewayContext, "registry">,
): Promise<StoredSkill | undefined> {
  const row = await store.findSkill(idOrUid);
  if (row === undefined || !isChecked(row)) return undefined;
  const revision = await store.findRevision(row.uid, row.revision);
  return revision === undefined ? undefined : { row, revision };
}

/** What is to be asked about it. Its files are laid out only when they have to be looked into. */
export async function checkRequestOf(
  { row: { id }, revision }: StoredSkill,
  { registry, dependencies }: StoredSkillPorts,
): Promise<CheckRequest> {
  const { treeHash, manifest, purgedAt } = revision;
  if (purgedAt !== undefined) throw new SkillError("REVISION_NOT_FOUND", `The bytes of ${id} were given up.`);
  const { home, findRuntime, copies } = dependencies;
  const needs = manifest.dependencies;
  const environment = await environmentOf({ skill: id, needs }, { home, findRuntime });
  return {
    id,
    needs,
    content: treeHash,
    folder: () => materialise(treeHash, id, { folder: copies }, registry),
    ...(environment === undefined ? {} : { environment: environment.folder }),
  };
}
