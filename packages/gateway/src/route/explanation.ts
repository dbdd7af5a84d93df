import type { Explanation } from "@skillhold/core";
import { z } from "zod";
import type { KeyedRow, PagedList } from "./page.ts";
import { rowsAfter } from "./page.ts";

const ranks = { visible: 0, hidden: 0, shadowed: 1, invalid: 2 } as const satisfies Record<
  Explanation["state"],
  number
>;

const Place = z.tuple([z.int(), z.string(), z.string(), z.int()]);

/**
 * Explanations as a library gives them: what counts for an id, what another stands before, and what is no skill, each in
 * the order of their ids. Where a skill lies is in no place:
 * that is not for all to know, and those of one source and id are told apart by their number.
 */
export function explanationList(
  all: readonly Explanation[],
): PagedList<KeyedRow<Explanation>, z.infer<typeof Place>> {
  const keyed = keyRows(all);
  return {
    place: Place,
    placeOf: ({ key }) => Place.parse(key),
    list: async (after, limit) => rowsAfter(keyed, after, limit),
  };
}

function keyRows(all: readonly Explanation[]): readonly KeyedRow<Explanation>[] {
  const counts = new Map<string, number>();
  return all.map((row) => {
    const { id, source, state } = row;
    const name = JSON.stringify([ranks[state], id, source]);
    const number = counts.get(name) ?? 0;
    counts.set(name, number + 1);
    return { key: [ranks[state], id, source, number], row };
  });
}

/** Where things lie on this machine is for those to know who look after it. */
export function withoutPlace(each: Explanation): Explanation {
  const path = `${each.source}:${each.id}`;
  if (each.state !== "shadowed") return { ...each, path };
  return { ...each, path, message: "Another skill of this id counts." };
}
