import { mayKnow, type Viewer } from "@skillhold/core/library";
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
    const view = store.library.view();
    if (view.find(id) === undefined) return false;
    const skill = { id, standing: view.standing(id) };
    // The allow list limits an agent, not what its user may know.
    return viewers.some(({ allow: _, ...viewer }) => mayKnow(skill, viewer));
  };
}
