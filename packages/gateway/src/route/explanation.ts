import type { Explanation } from "@skillhold/core/library";
import { z } from "zod";
import { shortHash } from "../digest.ts";
import { type KeyedRow, type PagedList, type RowKey, rowsAfter } from "./page.ts";

const ranks = { visible: 0, hidden: 0, shadowed: 1, invalid: 2 } as const satisfies Record<
  Explanation["state"],
  number
>;

const Place = z.tuple([z.int(), z.string(), z.string(), z.string()]);

/**
 * Explanations as a library gives them: what counts for an id, what another stands before, and what is no skill, each in
 * the order of their ids. Those of one source and id are told apart by where they lie, and as that is not for all to know,
 * by its hash: whatever else comes and goes, it stays, at every gateway.
 */
export function explanationList(
  all: readonly Explanation[],
): PagedList<KeyedRow<Explanation>, z.infer<typeof Place>> {
  const keyed = all.map((row) => ({ key: keyOf(row), row }));
  return {
    place: Place,
    placeOf: ({ key }) => Place.parse(key),
    list: async (after, limit) => rowsAfter(keyed, after, limit),
  };
}

function keyOf({ id, source, state, path }: Explanation): RowKey {
  return [ranks[state], id, source, shortHash(path)];
}

/** Where things lie on this machine is for those to know who look after it. */
export function withoutPlace(each: Explanation): Explanation {
  const path = `${each.source}:${each.id}`;
  if (each.state !== "shadowed") return { ...each, path };
  return { ...each, path, message: "Another skill with this id is used instead." };
}
