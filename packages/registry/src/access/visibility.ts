import type { Visibility } from "@skillhold/protocol";

/**
 * What a skill's visibility is with these grants: one that is not public is internal if, and only if, someone was
 * granted it. Written in the transaction that changes the grants.
 */
export function visibilityWith(grants: number, before: Visibility): Visibility {
  if (before === "public") return before;
  return grants > 0 ? "internal" : "private";
}
