import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Limits } from "@skillhold/protocol/limits";
import { readBounded } from "../bundle/index.ts";
import type { SearchDocument } from "../search/index.ts";
import { parseSkill } from "../skill/index.ts";
import type { FolderShelf } from "./folder-shelf.ts";
import type { SearchTexts } from "./library-search.ts";
import { toDocument } from "./skill-document.ts";

/** More than this of references says nothing new about what a skill is for. */
const REFERENCE_BYTES = 128 * 1024;
const REFERENCE_FILES = 32;

/** The texts of a folder shelf, read when the search index wants them and not kept. */
export class FolderTexts implements SearchTexts {
  readonly #shelf: FolderShelf;
  readonly #limits: Limits;

  constructor(shelf: FolderShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  document(id: string): SearchDocument | undefined {
    const view = this.#shelf.view();
    const place = view.place(id);
    const entry = view.find(id);
    if (place === undefined || entry === undefined) return undefined;
    const read = readBounded(join(place.folder, place.row.file), this.#limits.skillFileBytes, {
      allowHardLinks: true,
    });
    if ("problem" in read) return undefined;
    return toDocument(
      entry,
      parseSkill(read.bytes, this.#limits),
      readReferences(join(place.folder, "references")),
    );
  }
}

function readReferences(folder: string): string {
  const texts: string[] = [];
  let budget = REFERENCE_BYTES;
  for (const name of listMarkdown(folder).slice(0, REFERENCE_FILES)) {
    const read = readBounded(join(folder, name), budget, { allowHardLinks: true });
    if ("problem" in read) continue;
    texts.push(new TextDecoder().decode(read.bytes));
    budget -= read.size;
    if (budget <= 0) break;
  }
  return texts.join("\n");
}

function listMarkdown(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.(?:md|markdown|txt)$/i.test(name))
      .sort();
  } catch {
    // Most skills have no such folder.
    return [];
  }
}
