import { combineDigests } from "@skillhold/core/bundle";
import type { SkillFile } from "@skillhold/core/library";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { type FileDigest, fileRole } from "@skillhold/skill";
import { LRUCache } from "lru-cache";
import type { RegistryStore } from "../record/registry-store.ts";
import { getTree } from "./revisions.ts";

/** How many file lists are cached. They never change, because the tree hash covers them. */
const KEPT_TREES = 512;

/** Reads trees and files from a store and verifies their hashes. */
export class TreeReader {
  readonly #store: RegistryStore;
  readonly #kept = new LRUCache<Digest, readonly SkillFile[]>({ max: KEPT_TREES });

  constructor(store: RegistryStore) {
    this.#store = store;
  }

  /** Throws INTEGRITY_FAILED if the tree is missing or does not match its hash. */
  async files(tree: Digest): Promise<readonly SkillFile[]> {
    const known = this.#kept.get(tree);
    if (known !== undefined) return known;
    const files = await this.#read(tree);
    this.#kept.set(tree, files);
    return files;
  }

  async bytes({ path, size, digest }: FileDigest): Promise<Uint8Array> {
    const bytes = await this.#store.blobs.get(digest);
    if (bytes.length === size) return bytes;
    throw new SkillError("INTEGRITY_FAILED", `The size of ${path} differs from its tree.`);
  }

  async #read(tree: Digest): Promise<readonly SkillFile[]> {
    const found = await getTree(tree, this.#store);
    if (combineDigests(found) !== tree)
      throw new SkillError("INTEGRITY_FAILED", `The stored tree ${tree} does not match its hash.`);
    return found.map((file) => ({ ...file, role: fileRole(file.path) }));
  }
}
