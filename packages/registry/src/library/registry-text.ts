import {
  isSearchedText,
  REFERENCE_BYTES,
  REFERENCE_FILES,
  type SearchTexts,
  type SkillFile,
  TextKeeper,
  toDocument,
} from "@skillhold/core/library";
import type { SearchDocument } from "@skillhold/core/search";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill } from "@skillhold/skill";
import { findSkillFile } from "../release/skill-file.ts";
import type { TreeReader } from "../release/tree-reader.ts";
import type { RegistryShelf } from "./registry-shelf.ts";

/** Texts of about 2,000 skills of the usual size. */
const KEPT_TEXT_BYTES = 16 * 1024 * 1024;

/** The texts of a registry, read out of its blobs when the search index wants them. */
export class RegistryTexts implements SearchTexts {
  readonly #shelf: RegistryShelf;
  readonly #limits: Limits;
  /** Texts that were read, for the snippets of what is found: their names are their hashes. */
  readonly #kept = new TextKeeper(KEPT_TEXT_BYTES);

  constructor(shelf: RegistryShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  keyOf(entry: SkillEntry): string {
    return this.#shelf.textKey(entry);
  }

  /** Damaged bytes take a skill out of the search; that the store cannot be asked is told to whoever searches. */
  async document(entry: SkillEntry): Promise<SearchDocument | undefined> {
    try {
      return await this.#read(entry);
    } catch (error) {
      if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return undefined;
      throw error;
    }
  }

  async #read(entry: SkillEntry): Promise<SearchDocument | undefined> {
    const { reader } = this.#shelf;
    const files = entry.treeHash === undefined ? [] : await reader.files(entry.treeHash);
    const file = findSkillFile(files);
    if (file === undefined) return undefined;
    const bytes = this.#kept.find(file.digest) ?? (await reader.bytes(file));
    this.#kept.keep(file.digest, bytes);
    const skill = parseSkill(bytes, this.#limits);
    const document = toDocument(entry, skill, await readReferences(files, reader));
    return { ...document, key: this.keyOf(entry) };
  }
}

async function readReferences(files: readonly SkillFile[], reader: TreeReader): Promise<string> {
  const texts: string[] = [];
  let budget = REFERENCE_BYTES;
  for (const file of files.filter(isReference).slice(0, REFERENCE_FILES)) {
    if (file.size > budget) continue;
    texts.push(new TextDecoder().decode(await reader.bytes(file)));
    budget -= file.size;
  }
  return texts.join("\n");
}

/** Those that lie in the folder itself: what is deeper is seldom written to be read by itself. */
function isReference({ path }: SkillFile): boolean {
  return /^references\/[^/]+$/.test(path) && isSearchedText(path);
}
