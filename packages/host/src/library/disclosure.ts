import { decideAccess, type Standing, type Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { type RegistryLayer, STORE_LABEL } from "../store/registry-layer.ts";

/** Identifies a candidate skill of a library. */
export interface LibraryCandidate {
  readonly id: string;
  readonly source: string;
}

/**
 * Decides whether a candidate may be disclosed to one of the viewers. Folder skills are always disclosed; skills of the
 * store only with a grant, whether they are enabled or not.
 */
export function disclosureTo(
  viewers: readonly Viewer[],
  store: Pick<RegistryLayer, "library"> | undefined,
): (candidate: LibraryCandidate) => boolean {
  return ({ id, source }) => {
    if (store === undefined || source !== STORE_LABEL) return true;
    const view = store.library.layer.shelf.view();
    const entry = view.find(id);
    if (entry === undefined) return false;
    return viewers.some((viewer) => reasonFor(entry, viewer, view.standing(id)) !== "no-grant");
  };
}

/** Whether the viewer has access to a skill, enabled or not. Without access, another skill with the id can win. */
export function isGranted(entry: SkillEntry, viewer: Viewer, standing: Standing | undefined): boolean {
  const reason = reasonFor(entry, viewer, standing);
  return reason !== "no-grant" && reason !== "pin";
}

/** Decides access as if the skill were enabled, because disabling a skill does not change who may see it. */
function reasonFor(entry: SkillEntry, viewer: Viewer, standing: Standing | undefined): string {
  const { allow: _, ...unlimited } = viewer;
  const on = standing && { ...standing, isEnabled: true, status: "active" as const, reason: undefined };
  return decideAccess(entry, unlimited, {}, on).reason;
}
