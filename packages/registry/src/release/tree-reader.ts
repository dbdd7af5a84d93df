import { combineDigests, type FileDigest, roleOf } from "@skillhold/core/bundle";
import type { SkillFile } from "@skillhold/core/library";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore } from "../record/registry-store.ts";
import { getTree } from "./revisions.ts";

/** Lists of files are kept for so many trees. They cannot change: their hash is over all they say. */
const KEPT_TREES = 512;

/** Reads the files of trees out of a store. What it hands over has the hash that it was asked for by. */
export class TreeReader {
  readonly #store: RegistryStore;
  readonly #kept = new Map<Digest, readonly SkillFile[]>();

  constructor(store: RegistryStore) {
    this.#store = store;
  }

  /** Throws INTEGRITY_FAILED for a tree that is missing, or is not what its name says. */
  async files(tree: Digest): Promise<readonly SkillFile[]> {
    const known = this.#kept.get(tree);
    const files = known ?? (await this.#read(tree));
    this.#kept.delete(tree);
    this.#kept.set(tree, files);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_TREES && oldest !== undefined) this.#kept.delete(oldest);
    return files;
  }

  async bytes({ path, size, digest }: FileDigest): Promise<Uint8Array> {
    const bytes = await this.#store.blobs.get(digest);
    if (bytes.length === size) return bytes;
    throw new SkillError("INTEGRITY_FAILED", `${path} has not the size that its tree says.`);
  }

  async #read(tree: Digest): Promise<readonly SkillFile[]> {
    const found = await getTree(tree, this.#store);
    if (combineDigests(found) !== tree)
      throw new SkillError("INTEGRITY_FAILED", `The tree ${tree} is not what its name says.`);
    return found.map((file) => ({ ...file, role: roleOf(file.path) }));
  }
}
