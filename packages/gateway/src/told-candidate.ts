import { decideAccess, type Explanation, type Standing, type Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { GatewayContext } from "./gateway-context.ts";

/** A skill of a library, by what tells it from others. */
type Candidate = Pick<Explanation, "id" | "source">;

/**
 * Tells whether one of these may know of a candidate: those of the registry that are open to them, on or off, and those
 * in folders that the gateway was told of. Contract: the registry's library is up to date.
 */
export function toldTo(
  askers: readonly Viewer[],
  { skills, sources }: Pick<GatewayContext, "skills" | "sources">,
): (candidate: Candidate) => boolean {
  const view = skills.layer.shelf.view();
  const folders = new Set(sources.filter(({ path }) => path !== undefined).map(({ label }) => label));
  return ({ id, source }) => {
    const entry = view.find(id);
    const isRegistered = entry?.source === source;
    return askers.some((asker) => {
      if (entry !== undefined && isRegistered) return isOpenWhenOn(entry, asker, view.standing(id));
      return folders.has(source) && asker.allow?.includes(id) !== false;
    });
  };
}

/** Asks the gate as if the skill were on: what is switched off is no less someone's. */
function isOpenWhenOn(entry: SkillEntry, asker: Viewer, standing: Standing | undefined): boolean {
  const on = standing && { ...standing, isEnabled: true, status: "active" as const, reason: undefined };
  const { reason } = decideAccess(entry, asker, {}, on);
  return reason !== "no-grant" && reason !== "not-allowed";
}
