import type { Explanation } from "@skillhold/core/library";
import { z } from "zod";
import { shortHash } from "../bytes.ts";
import { type KeyedRow, type PagedList, type RowKey, rowsAfter } from "./page.ts";

const ranks = { visible: 0, hidden: 0, shadowed: 1, invalid: 2 } as const satisfies Record<
  Explanation["state"],
  number
>;

const Position = z.tuple([z.int(), z.string(), z.string(), z.string()]);

/**
 * Explanations in the library's order: the current skills, the shadowed ones and the invalid ones, each by id. The hash of
 * the path distinguishes explanations with one source and id without disclosing the path, and is stable across gateways.
 */
export function explanationList(
  all: readonly Explanation[],
): PagedList<KeyedRow<Explanation>, z.infer<typeof Position>> {
  const keyed = all.map((row) => ({ key: keyOf(row), row }));
  return {
    position: Position,
    positionOf: ({ key }) => Position.parse(key),
    list: async (after, limit) => rowsAfter(keyed, after, limit),
  };
}

function keyOf({ id, source, state, path }: Explanation): RowKey {
  return [ranks[state], id, source, shortHash(path)];
}

/** Only administrators see paths of the gateway's machine. */
export function withoutPath(each: Explanation): Explanation {
  const path = `${each.source}:${each.id}`;
  if (each.state !== "shadowed") return { ...each, path };
  return { ...each, path, message: "Another skill with this id is used instead." };
}
