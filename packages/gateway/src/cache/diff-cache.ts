import type { Digest } from "@skillhold/protocol";
import type { TreeDiff, TreeDiffs } from "@skillhold/registry/release";
import { SerialQueue } from "../limit/serial-queue.ts";
import { BoundedMap } from "./bounded-map.ts";

/** A diff has at most two megabytes of text. */
const MAX_DIFFS = 16;
const MAX_WAITING = 16;

/** Diffs of two trees, which never change. One diff is computed at a time because it blocks the event loop. */
export class DiffCache implements TreeDiffs {
  readonly #diffs = new BoundedMap<string, TreeDiff>(MAX_DIFFS);
  readonly #pending = new Map<string, Promise<TreeDiff>>();
  readonly #queue = new SerialQueue(MAX_WAITING);

  async get(from: Digest, to: Digest, compute: () => Promise<TreeDiff>): Promise<TreeDiff> {
    const key = `${from} ${to}`;
    const known = this.#diffs.find(key) ?? this.#pending.get(key);
    if (known !== undefined) return await known;
    const pending = this.#queue.run(compute).finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    const diff = await pending;
    this.#diffs.set(key, diff);
    return diff;
  }
}
