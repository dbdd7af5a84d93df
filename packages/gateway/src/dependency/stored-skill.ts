import { type CheckRequest, environmentOf } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import type { RegisteredSkill, Revision } from "@skillhold/registry/record";
import { materialise } from "@skillhold/registry/release";
import type { DependencyPorts, GatewayContext } from "../gateway-context.ts";

/** The ports for the check of a stored skill. */
export interface StoredSkillPorts extends Pick<GatewayContext, "registry"> {
  readonly dependencies: DependencyPorts;
}

/** A skill of the registry in its current revision. */
export interface StoredSkill {
  readonly row: RegisteredSkill;
  readonly revision: Revision;
}

/** Whether its dependencies are checked: disabled and deleted skills are not. */
export function isChecked({ isEnabled, status }: RegisteredSkill): boolean {
  return isEnabled && status !== "deleted";
}

/** Undefined for a missing skill and for one that is not checked. */
export async function findStored(
  idOrUid: string,
  { registry: { store } }: Pick<GatewayContext, "registry">,
): Promise<StoredSkill | undefined> {
  const row = await store.findSkill(idOrUid);
  if (row === undefined || !isChecked(row)) return undefined;
  const revision = await store.findRevision(row.uid, row.revision);
  return revision === undefined ? undefined : { row, revision };
}

/** The request for its check. Its files are copied to disk only when the check needs them. */
export async function checkRequestOf(
  { row: { id }, revision }: StoredSkill,
  { registry, dependencies }: StoredSkillPorts,
): Promise<CheckRequest> {
  const { treeHash, manifest, purgedAt } = revision;
  if (purgedAt !== undefined) throw new SkillError("REVISION_NOT_FOUND", `The files of ${id} were purged.`);
  const { home, findRuntime, copies } = dependencies;
  const needs = manifest.dependencies;
  // The check of a skill without needs reads no environment, and most skills have none.
  const environment =
    needs.length === 0 ? undefined : await environmentOf({ skill: id, needs }, { home, findRuntime });
  return {
    id,
    needs,
    content: treeHash,
    folder: () => materialise(treeHash, id, { folder: copies }, registry),
    ...(environment === undefined ? {} : { environment: environment.folder }),
  };
}
