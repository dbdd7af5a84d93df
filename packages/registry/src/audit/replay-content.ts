import type { SkillFile } from "@skillhold/core/library";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Revision } from "../record/registered-skill.ts";
import type { RegistryStore } from "../record/registry-store.ts";
import { TreeReader } from "../release/tree-reader.ts";
import { available, type Recovered, unavailable } from "./replay-step.ts";

/** Bundles of the past, by their tree hash, whether a revision that counts has them or not. */
export class PastContent {
  readonly #store: RegistryStore;
  readonly #reader: TreeReader;

  constructor(store: RegistryStore) {
    this.#store = store;
    this.#reader = new TreeReader(store);
  }

  /** The files of a bundle, or why they are not there. */
  async files(skill: string, hash: Digest): Promise<readonly SkillFile[] | Recovered> {
    const revisions = await this.#revisions(skill, hash);
    const isGivenUp = revisions.length > 0 && revisions.every(({ purgedAt }) => purgedAt !== undefined);
    // What was purged lies in the store until it is swept, and is nobody's to read.
    if (isGivenUp) return unavailable("purged", `It was purged on ${revisions[0]?.purgedAt}.`);
    if (revisions.length > 0 || (await this.#store.findTree(hash)) !== undefined)
      return await orDamage(() => this.#reader.files(hash));
    return unavailable("not-stored", "It was never in this store, but in a folder.");
  }

  /** The bytes of one of the files that `choose` finds. */
  async bytes(
    skill: string,
    hash: Digest,
    choose: (files: readonly SkillFile[]) => SkillFile | undefined,
  ): Promise<Recovered> {
    const files = await this.files(skill, hash);
    if ("isAvailable" in files) return files;
    const file = choose(files);
    if (file === undefined) return unavailable("not-recorded", "The bundle has no such file.");
    const bytes = await orDamage(() => this.#reader.bytes(file));
    return "isAvailable" in bytes ? bytes : available(bytes);
  }

  async #revisions(skill: string, hash: Digest): Promise<readonly Revision[]> {
    const row = await this.#store.findSkill(skill);
    const revisions = row === undefined ? [] : await this.#store.listRevisions(row.uid);
    return revisions.filter(({ treeHash }) => treeHash === hash);
  }
}

/** Damage is an answer: the rest of a session can be told all the same. */
async function orDamage<T>(read: () => Promise<T>): Promise<T | Recovered> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
    return unavailable("damaged", error.message);
  }
}
