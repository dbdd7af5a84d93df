import { decideAccess, type Standing, type Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { type RegistryLayer, STORE_LABEL } from "../store/registry-layer.ts";

/** A skill of a library, by what tells it from others. */
export interface LibraryCandidate {
  readonly id: string;
  readonly source: string;
}

/**
 * Tells whether one of these may know of a candidate: skills in folders are whoever's who can look at them, and of the
 * store those that are open to them, on or off.
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

/** Whether a skill is the viewer's to have, on or off; one that is not leaves its place to others of its id. */
export function isGranted(entry: SkillEntry, viewer: Viewer, standing: Standing | undefined): boolean {
  const reason = reasonFor(entry, viewer, standing);
  return reason !== "no-grant" && reason !== "pin";
}

/** Asks the gate as if the skill were on: what is switched off is no less someone's. */
function reasonFor(entry: SkillEntry, viewer: Viewer, standing: Standing | undefined): string {
  const { allow: _, ...unlimited } = viewer;
  const on = standing && { ...standing, isEnabled: true, status: "active" as const, reason: undefined };
  return decideAccess(entry, unlimited, {}, on).reason;
}
