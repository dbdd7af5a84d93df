import { SerialQueue } from "@skillhold/core/async";
import type { RegistryReader } from "../record/registry-store.ts";
import { MerkleTree } from "./merkle-tree.ts";

const PAGE = 1000;

/** The Merkle tree of a store's log. It grows with the log and reads each entry once. */
export class LogTree {
  readonly #store: Pick<RegistryReader, "auditAfter">;
  readonly #tree = new MerkleTree();
  /** One reads at a time, and the next goes on where it ended. */
  readonly #reads = new SerialQueue();

  constructor(store: Pick<RegistryReader, "auditAfter">) {
    this.#store = store;
  }

  /** The tree with at least so many entries, or all that there are. */
  async upTo(size: number): Promise<MerkleTree> {
    await this.#reads.run(() => this.#read(size));
    return this.#tree;
  }

  async #read(size: number): Promise<void> {
    while (this.#tree.size < size) {
      const rows = await this.#store.auditAfter(this.#tree.size, PAGE);
      for (const { hash } of rows) this.#tree.append(hash);
      if (rows.length < PAGE) return;
    }
  }
}
