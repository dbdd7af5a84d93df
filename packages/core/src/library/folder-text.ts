import { closeSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill } from "@skillhold/skill";
import {
  hashSkillFile,
  IGNORE_FILES,
  normalizeRelative,
  openInside,
  readBounded,
  tryStat,
} from "../bundle/index.ts";
import type { SearchDocument } from "../search/index.ts";
import { allowsHardLinks } from "../source/source.ts";
import type { FolderShelf } from "./folder-shelf.ts";
import type { ShelfPlace } from "./folder-view.ts";
import type { SearchTexts } from "./library-search.ts";
import { isSearchedText, REFERENCE_BYTES, REFERENCE_FILES, toDocument } from "./skill-document.ts";

/** The texts of a folder shelf, read for the search index and not kept. */
export class FolderTexts implements SearchTexts {
  readonly #shelf: FolderShelf;
  readonly #limits: Limits;

  constructor(shelf: FolderShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  /** References are not in the key, because checking them costs a stat each. */
  keyOf({ skillHash }: SkillEntry): string {
    return skillHash;
  }

  /** Also undefined when the file changed since indexing: only text that passed the gate is searched. */
  document(entry: SkillEntry): SearchDocument | undefined {
    const place = this.#shelf.view().place(entry.id);
    if (place === undefined) return undefined;
    const allowHardLinks = allowsHardLinks(place.source);
    const read = readBounded(join(place.folder, place.row.file), this.#limits.skillFileBytes, {
      allowHardLinks,
    });
    if ("problem" in read || hashSkillFile(read.bytes) !== entry.skillHash) return undefined;
    return toDocument(entry, parseSkill(read.bytes, this.#limits), readReferences(place, allowHardLinks));
  }
}

function readReferences({ folder }: ShelfPlace, allowHardLinks: boolean): string {
  const names = listMarkdown(folder);
  if (names.length === 0) return "";
  const root = realpathSync.native(folder);
  const texts: string[] = [];
  let budget = REFERENCE_BYTES;
  for (const name of names.slice(0, REFERENCE_FILES)) {
    const text = readReference(root, `references/${name}`, budget, allowHardLinks);
    texts.push(text);
    budget -= text.length;
  }
  return texts.join("\n");
}

/** Empty for a link, a path outside the skill or a text over the budget. */
function readReference(root: string, path: string, budget: number, allowHardLinks: boolean): string {
  try {
    const { fd, stats } = openInside(root, normalizeRelative(path), { allowHardLinks });
    try {
      return stats.size > budget ? "" : readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    // Rejected or deleted, so it is not part of the search.
    if (error instanceof SkillError) return "";
    throw error;
  }
}

function listMarkdown(folder: string): readonly string[] {
  try {
    const names = readdirSync(join(folder, "references")).filter(isSearchedText);
    // Omitted files are not searched; the packer decides which they are.
    const isIgnoring =
      names.length > 0 && IGNORE_FILES.some((name) => tryStat(join(folder, name)) !== undefined);
    return isIgnoring ? [] : names.sort();
  } catch {
    // Most skills have no such folder.
    return [];
  }
}
