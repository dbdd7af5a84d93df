import type { Explanation, IndexedLibrary, Viewer } from "@skillhold/core/library";
import { z } from "zod";
import { shortHash } from "../bytes.ts";
import { type KeyedRow, type PagedList, type RowKey, rowsAfter } from "./page.ts";

const ranks = { visible: 0, hidden: 0, shadowed: 1, invalid: 2 } as const satisfies Record<
  Explanation["state"],
  number
>;

const Position = z.tuple([z.int(), z.string(), z.string(), z.string()]);

/** The explanations that `accepts` takes. */
export interface ExplanationRequest {
  readonly viewer: Viewer;
  accepts(explanation: Explanation): boolean;
}

/**
 * Explanations in the library's order: the current skills, the shadowed ones and the invalid ones, each by id. The hash of
 * the path distinguishes explanations with one source and id without disclosing the path, and is stable across gateways.
 */
export function explanationList(
  { viewer, accepts }: ExplanationRequest,
  library: Pick<IndexedLibrary, "explainPage" | "explainOthers">,
): PagedList<KeyedRow<Explanation>, z.infer<typeof Position>> {
  return {
    position: Position,
    positionOf: ({ key }) => Position.parse(key),
    list: async (after, limit) => {
      const [rank, id] = after ?? [ranks.visible, undefined];
      const isCurrent = rank === ranks.visible;
      const page = { after: id, limit, accepts };
      const current = isCurrent ? keyed(await library.explainPage(viewer, page)) : [];
      if (current.length === limit) return current;
      const others = keyed((await library.explainOthers(viewer)).filter(accepts));
      return [...current, ...rowsAfter(others, isCurrent ? undefined : after, limit - current.length)];
    },
  };
}

function keyed(rows: readonly Explanation[]): readonly KeyedRow<Explanation>[] {
  return rows.map((row) => ({ key: keyOf(row), row }));
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
