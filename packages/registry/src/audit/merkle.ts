import type { Frontier } from "../record/registry-store.ts";
import { leafHash, NO_ENTRIES, nodeHash } from "./merkle-tree.ts";

export const emptyFrontier: Frontier = { size: 0, roots: [] };

/** The frontier after one more entry. */
export function appendLeaf({ size, roots }: Frontier, entry: string): Frontier {
  const merged = [...roots];
  let node = leafHash(entry);
  // Merges full subtrees of equal size; there is one for every trailing one bit of the size.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeHash(merged.pop() ?? "", node);
  return { size: size + 1, roots: [...merged, node] };
}

/** The root of the whole log; for an empty log, the hash of no input. */
export function rootOf({ roots }: Frontier): string {
  const [last, ...others] = roots.toReversed();
  if (last === undefined) return NO_ENTRIES;
  return others.reduce((right, left) => nodeHash(left, right), last);
}

/** Whether the frontier is consistent with its size. */
export function isWhole({ size, roots }: Frontier): boolean {
  return Number.isSafeInteger(size) && size >= 0 && roots.length === countBits(size);
}

function countBits(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
