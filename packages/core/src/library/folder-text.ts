import { hash } from "node:crypto";
import { closeSync, type Dirent, readdirSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type ParsedSkill, parseSkill, USE_IGNORE_FILES } from "@skillhold/skill";
import { hashSkillFile, normalizeRelative, openInside, readBounded, tryStat } from "../bundle/index.ts";
import type { SearchDocument } from "../search/index.ts";
import { readToolsText, TOOLS_FOLDER } from "../source/open-skill.ts";
import { allowsHardLinks } from "../source/source.ts";
import type { FolderShelf } from "./folder-shelf.ts";
import type { ShelfPlace } from "./folder-view.ts";
import type { SearchTexts } from "./library-search.ts";
import {
  EVALUATION_BYTES,
  isSearchedFile,
  REFERENCE_BYTES,
  SEARCHED_DEPTH,
  type SearchedFiles,
  selectSearchedFiles,
} from "./searched-file.ts";
import { type SearchedTexts, toDocument } from "./skill-document.ts";

/** A folder with more entries than this is data; the rest of it is not looked at. */
const MOST_ENTRIES = 2000;
const SKIPPED_FOLDER = /^(?:\.|node_modules$|__pycache__$)/;
const NO_FILES: SearchedFiles = { references: [], evaluations: [] };

/** The texts of a folder shelf, read when the search index needs them and not kept. */
export class FolderTexts implements SearchTexts {
  readonly #shelf: FolderShelf;
  readonly #limits: Limits;

  constructor(shelf: FolderShelf, limits: Limits) {
    this.#shelf = shelf;
    this.#limits = limits;
  }

  /** Changes with SKILL.md, and with the name, size or time of any other file that is searched. */
  keyOf({ id, skillHash }: SkillEntry): string {
    const place = this.#shelf.view().place(id);
    const { references, evaluations } = place === undefined ? NO_FILES : listFiles(place.folder);
    const paths = [...references, ...evaluations];
    if (place === undefined || paths.length === 0) return skillHash;
    const stamps = paths.map((path) => {
      const stats = tryStat(join(place.folder, path));
      return `${path}\0${stats?.size}\0${stats?.mtimeMs}`;
    });
    return `${skillHash}+${hash("sha256", stamps.join("\n"), "hex")}`;
  }

  document(entry: SkillEntry): SearchDocument | undefined {
    const read = this.#read(entry);
    if (read === undefined) return undefined;
    // Taken before the files are read: a file that changes meanwhile is read again on the next search.
    const key = this.keyOf(entry);
    return { ...toDocument(entry, read.skill, readTexts(read.place)), key };
  }

  body(entry: SkillEntry): string | undefined {
    return this.#read(entry)?.skill.body;
  }

  /** Undefined when the file is no longer the one that the gate decided on. */
  #read(entry: SkillEntry): { readonly place: ShelfPlace; readonly skill: ParsedSkill } | undefined {
    const place = this.#shelf.view().place(entry.id);
    if (place === undefined) return undefined;
    const bytes = place.row.file === TOOLS_FOLDER ? readToolsText(place.folder) : this.#readFile(place);
    if (bytes === undefined || hashSkillFile(bytes) !== entry.skillHash) return undefined;
    return { place, skill: parseSkill(bytes, this.#limits) };
  }

  #readFile({ folder, row, source }: ShelfPlace): Uint8Array | undefined {
    const options = { allowHardLinks: allowsHardLinks(source) };
    const read = readBounded(join(folder, row.file), this.#limits.skillFileBytes, options);
    return "problem" in read ? undefined : read.bytes;
  }
}

function readTexts({ folder, source }: ShelfPlace): SearchedTexts {
  const { references, evaluations } = listFiles(folder);
  if (references.length + evaluations.length === 0) return NO_FILES;
  const root = realpathSync.native(folder);
  const allowHardLinks = allowsHardLinks(source);
  const read = (path: string, most: number, isWhole: boolean) =>
    readStart(root, path, { most, isWhole, allowHardLinks });
  return {
    references: references.map((path) => read(path, REFERENCE_BYTES, false)),
    evaluations: evaluations.map((path) => read(path, EVALUATION_BYTES, true)),
  };
}

/** The first bytes of a file; empty for a link, a file outside the skill, or one that is too long to be read whole. */
function readStart(
  root: string,
  path: string,
  options: { readonly most: number; readonly isWhole: boolean; readonly allowHardLinks: boolean },
): string {
  try {
    const { fd, stats } = openInside(root, normalizeRelative(path), options);
    try {
      if (options.isWhole && stats.size > options.most) return "";
      const bytes = Buffer.alloc(Math.min(stats.size, options.most));
      return bytes.subarray(0, readSync(fd, bytes)).toString("utf8");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    // A file that is refused, or gone, is not part of the skill.
    if (error instanceof SkillError) return "";
    throw error;
  }
}

function listFiles(folder: string): SearchedFiles {
  const paths: string[] = [];
  const budget = { entries: MOST_ENTRIES };
  const top = readEntries(folder, budget);
  // Only the packer knows which files an ignore file leaves out of the skill.
  if (top.some(({ name }) => USE_IGNORE_FILES.some((ignore) => ignore === name))) return NO_FILES;
  collect(folder, "", top, budget, paths);
  return selectSearchedFiles(paths);
}

function collect(
  folder: string,
  below: string,
  entries: readonly Dirent[],
  budget: { entries: number },
  paths: string[],
): void {
  for (const entry of entries) {
    const path = below + entry.name;
    if (entry.isFile() && (isSearchedFile(path) || /^skill\.md$/i.test(entry.name))) paths.push(path);
    if (!entry.isDirectory() || SKIPPED_FOLDER.test(entry.name) || !mayHoldText(path)) continue;
    const inner = readEntries(join(folder, entry.name), budget);
    collect(join(folder, entry.name), `${path}/`, inner, budget, paths);
  }
}

/** Whether a folder may have searched files, by its path in the skill. */
function mayHoldText(path: string): boolean {
  if (path.split("/").length >= SEARCHED_DEPTH) return false;
  return isSearchedFile(`${path}/a.md`) || isSearchedFile(`${path}/a.json`);
}

function readEntries(folder: string, budget: { entries: number }): readonly Dirent[] {
  if (budget.entries <= 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    budget.entries -= entries.length;
    return entries;
  } catch {
    // A folder that cannot be read has no searched files.
    return [];
  }
}
