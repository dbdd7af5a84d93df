import type { Digest } from "@skillhold/protocol";
import type { TreeDiff, TreeDiffs } from "@skillhold/registry/release";
import { Turn } from "../limit/turn.ts";
import { BoundedMap } from "./bounded-map.ts";

/** A diff is two megabytes of text at most. */
const MOST_DIFFS = 16;
const MOST_WAITING = 16;

/** What differs between two trees, which never changes. One is made at a time, since it keeps all others waiting. */
export class DiffCache implements TreeDiffs {
  readonly #made = new BoundedMap<string, TreeDiff>(MOST_DIFFS);
  readonly #making = new Map<string, Promise<TreeDiff>>();
  readonly #turn = new Turn(MOST_WAITING);

  async get(from: Digest, to: Digest, make: () => Promise<TreeDiff>): Promise<TreeDiff> {
    const key = `${from} ${to}`;
    const known = this.#made.find(key) ?? this.#making.get(key);
    if (known !== undefined) return await known;
    const making = this.#turn.take(make).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    const diff = await making;
    this.#made.set(key, diff);
    return diff;
  }
}
