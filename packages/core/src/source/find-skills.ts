import type { Stats } from "node:fs";
import { join, sep } from "node:path";
import type { Limits } from "@skillhold/protocol/limits";
import { comparePaths, findSkillFiles, isJunk, isSkillFile, isToolFile, SKILL_FILE } from "@skillhold/skill";
import ignore, { type Ignore } from "ignore";
import { errorCodeOf } from "../bundle/contain.ts";
import { diskTree, type FileTree, type TreeEntry } from "../bundle/file-tree.ts";
import { Pace } from "../bundle/pace.ts";
import { readBounded } from "../bundle/read-file.ts";
import { tryStat } from "../bundle/try-stat.ts";
import { TOOLS_FOLDER } from "./open-skill.ts";

/** A folder with an entry named SKILL.md; the reader checks whether that is a readable file. */
export interface SkillFolder<Leaf = never> {
  /** Relative to the root, `.` for the root itself. */
  readonly path: string;
  readonly absolute: string;
  /** SKILL.md, as it is spelled in the folder; `tools` for a named folder with only tools. */
  readonly file: string;
  /** Other spellings of SKILL.md beside it, which are not read. */
  readonly unread?: readonly string[];
  /** Whether a folder `tools` exists. */
  readonly hasTools: boolean;
  /** The result of `openLeaf`, which found this skill. */
  readonly leaf?: Leaf;
}

export interface DiscoveryProblem {
  readonly path: string;
  /** `tools-only`: a folder with tools and no SKILL.md, which is a skill only when it is named. */
  readonly reason:
    | "missing"
    | "unreadable"
    | "link"
    | "bad-name"
    | "too-deep"
    | "too-many-folders"
    | "tools-only"
    | "more";
  readonly message: string;
}

export interface FoundSkills<Leaf = never> {
  /** The real path of the root, or the given path when it does not exist. */
  readonly root: string;
  readonly skills: readonly SkillFolder<Leaf>[];
  readonly problems: readonly DiscoveryProblem[];
  /**
   * The folders, relative to the root, whose listings determine the set of skills: while they are unchanged, no skill
   * was added or removed. Includes the applied .gitignore files.
   */
  readonly containers: readonly Container[];
  /** The number of searched folders. */
  readonly folders: number;
}

export interface Container {
  readonly path: string;
  /** The last change before it was listed. */
  readonly changedMs: number;
}

export interface FindOptions<Leaf = never> {
  /** Where the root is; the disk by default. */
  readonly tree?: FileTree;
  /** Follow links to any folder; each folder is still visited once. */
  readonly followLinks?: boolean;
  /**
   * Opens the SKILL.md of a folder without subfolders; undefined when the folder has none of that name. Such a folder is
   * not listed: listing is most of the cost, and most skills are one file.
   */
  readonly openLeaf?: ((folder: string, path: string) => Leaf | undefined) | undefined;
  /** Skip paths that the .gitignore files of parent folders ignore. */
  readonly gitignore?: boolean;
  /** The user named the root, so that it is a skill if it has only tools and contains no skills. */
  readonly isNamed?: boolean;
  readonly signal?: AbortSignal;
  /** Called periodically with the counts so far. */
  readonly onProgress?: (progress: { readonly folders: number; readonly skills: number }) => void;
}

type DiscoveryLimits = Pick<Limits, "discoveryDepth" | "discoveryFolders">;

/** Takes at most about ten milliseconds, with the reading of leaves. */
const FOLDERS_BETWEEN_RESTS = 256;
/**
 * The link count of a folder without subfolders, on disks that count them, as usual on Linux. On other disks, folders
 * are listed.
 */
const LEAF_LINKS = 2;
const MAX_PROBLEMS = 1000;
const GITIGNORE_BYTES = 64 * 1024;

/**
 * Finds the folders with a SKILL.md, including those below other skills, level by level: if a limit is reached, the
 * results closest to the root are kept. Never throws for disk content.
 */
export async function findSkillFolders<Leaf = never>(
  root: string,
  limits: DiscoveryLimits,
  options: FindOptions<Leaf> = {},
): Promise<FoundSkills<Leaf>> {
  const real = (options.tree ?? diskTree).realPath(root);
  if (real === undefined) {
    return {
      root,
      skills: [],
      problems: [{ path: ".", reason: "missing", message: `The folder ${root} does not exist.` }],
      containers: [],
      folders: 0,
    };
  }
  const search = new Search(real, limits, options);
  const pace = new Pace(FOLDERS_BETWEEN_RESTS, options.signal);
  pace.stopIfAborted();
  while (search.visitNext()) {
    if (!pace.isDue()) continue;
    options.onProgress?.(search.progress);
    await pace.rest();
  }
  options.onProgress?.(search.progress);
  return search.finish();
}

/** A folder to search. */
interface Folder {
  /** Relative to the root, empty for the root itself. */
  readonly path: string;
  readonly parent: Folder | undefined;
  /** Below a skill. */
  readonly isInside: boolean;
  /** The last change before the listing. */
  changedMs: number;
  /** Contains a skill, at any depth. */
  holdsSkill: boolean;
}

class Search<Leaf> {
  readonly #tree: FileTree;
  readonly #root: string;
  readonly #limits: DiscoveryLimits;
  readonly #options: FindOptions<Leaf>;
  readonly #seen = new Set<string>();
  readonly #links: { readonly folder: Folder; readonly target: string }[] = [];
  readonly #ignored: GitIgnore[] = [];
  /** The listed folders without and with a SKILL.md. */
  readonly #plain: Folder[] = [];
  readonly #listed: Folder[] = [];
  /** Folders without SKILL.md, outside skills, that contain a folder `tools`. */
  readonly #withTools: Folder[] = [];
  readonly #skills: SkillFolder<Leaf>[] = [];
  readonly #problems: DiscoveryProblem[] = [];
  #level: Folder[];
  #below: Folder[] = [];
  #at = 0;
  #depth = 0;
  #folders = 0;
  #unlisted = 0;

  constructor(root: string, limits: DiscoveryLimits, options: FindOptions<Leaf>) {
    this.#tree = options.tree ?? diskTree;
    this.#root = root;
    this.#limits = limits;
    this.#options = options;
    this.#seen.add(root);
    this.#level = [newFolder("", undefined, false)];
  }

  get progress(): { readonly folders: number; readonly skills: number } {
    return { folders: this.#folders, skills: this.#skills.length };
  }

  /** Searches one more folder; false after the last folder or at a limit. */
  visitNext(): boolean {
    if (this.#at === this.#level.length && !this.#descend()) return false;
    const folder = this.#level[this.#at];
    if (folder === undefined) return false;
    if (this.#folders === this.#limits.discoveryFolders) {
      const bound = `${this.#limits.discoveryFolders} folders were searched (limit discoveryFolders)`;
      this.#report(folder.path, "too-many-folders", `${bound}; the rest, from here on, was skipped.`);
      return false;
    }
    this.#at += 1;
    this.#folders += 1;
    this.#visit(folder);
    return true;
  }

  finish(): FoundSkills<Leaf> {
    this.#reportToolsOnly();
    const skills = this.#skills.toSorted((a, b) => comparePaths(a.path, b.path));
    const problems = this.#problems.toSorted((a, b) => comparePaths(a.path, b.path));
    if (this.#unlisted > 0)
      problems.push({
        path: ".",
        reason: "more",
        message: `${this.#unlisted} more problems are not listed.`,
      });
    return { root: this.#root, skills, problems, containers: this.#containers(), folders: this.#folders };
  }

  #descend(): boolean {
    const below = this.#below.length > 0 ? this.#below : this.#takeLinks();
    const first = below[0];
    if (first === undefined) return false;
    if (this.#depth === this.#limits.discoveryDepth) {
      const rest = below.length === 1 ? "one folder was" : `${below.length} folders were`;
      this.#report(
        first.path,
        "too-deep",
        `Below ${this.#depth} levels (limit discoveryDepth) ${rest} not searched.`,
      );
      return false;
    }
    this.#level = below;
    this.#below = [];
    this.#at = 0;
    this.#depth += 1;
    return true;
  }

  #reportToolsOnly(): void {
    for (const { path } of this.#withTools) {
      if (!this.#hasToolFile(join(this.#root, path, TOOLS_FOLDER))) continue;
      if (path === "" && this.#options.isNamed === true && this.#skills.length === 0) {
        this.#skills.push({ path: ".", absolute: this.#root, file: TOOLS_FOLDER, hasTools: true });
        return;
      }
      const message =
        "Tools only, not named: add a SKILL.md, name the folder with --root, or publish it with --id.";
      this.#report(path, "tools-only", message);
    }
  }

  #hasToolFile(tools: string): boolean {
    try {
      return this.#tree.list(tools).some(({ name }) => isToolFile(`tools/${name}`));
    } catch {
      // The search reports a folder that cannot be listed.
      return false;
    }
  }

  #containers(): readonly Container[] {
    const plain = this.#plain.filter(({ isInside, holdsSkill }) => holdsSkill || !isInside);
    const enclosing = this.#listed.filter(({ holdsSkill }) => holdsSkill);
    const folders = [...plain, ...enclosing].map(({ path, changedMs }) => ({ path: path || ".", changedMs }));
    return [...folders, ...this.#ignored.map(({ file, changedMs }) => ({ path: file, changedMs }))];
  }

  #visit(folder: Folder): void {
    const { path, isInside } = folder;
    if (isInside && !leadsOn(this.#list(folder))) {
      // Never a container, so its time of change is not needed. Most folders inside skills end here.
      this.#plain.push(folder);
      return;
    }
    const absolute = path === "" ? this.#root : `${this.#root}${sep}${path}`;
    const stats = this.#tree.diskStats(absolute);
    // A folder inside a skill is rarely a skill, so that the look for a SKILL.md costs more than it saves.
    const leaf = isInside || stats?.nlink !== LEAF_LINKS ? undefined : this.#openLeaf(absolute, path);
    if (leaf !== undefined) {
      this.#addSkill({ path: path || ".", absolute, file: SKILL_FILE, hasTools: false, leaf }, folder);
      return;
    }
    // Taken before the listing, so that the next scan notices concurrent changes.
    if (stats !== undefined) folder.changedMs = lastChange(stats);
    const { files, folders, links, hasTools, hasGitIgnore } = this.#list(folder);
    if (hasGitIgnore && this.#options.gitignore) this.#readGitIgnore(path);
    // Uses the exact name from the listing, because a case-insensitive disk accepts any spelling.
    const [file, ...unread] = findSkillFiles(files);
    const isSkill = file !== undefined;
    for (const name of folders.sort()) this.#queue(name, folder, isInside || isSkill);
    if (!isSkill) {
      this.#plain.push(folder);
      if (hasTools && !isInside) this.#withTools.push(folder);
      for (const name of links) this.#meetLink(folder, name);
      return;
    }
    this.#listed.push(folder);
    const skill = { path: path || ".", absolute, file, hasTools };
    this.#addSkill(unread.length === 0 ? skill : { ...skill, unread }, folder);
  }

  #openLeaf(absolute: string, path: string): Leaf | undefined {
    return this.#options.openLeaf?.(absolute, path || ".");
  }

  #addSkill(skill: SkillFolder<Leaf>, { parent }: Folder): void {
    this.#skills.push(skill);
    // All parents of a marked folder are marked.
    for (let above = parent; above !== undefined && !above.holdsSkill; above = above.parent)
      above.holdsSkill = true;
  }

  /**
   * A link inside a skill is not part of it. Links are followed after all real folders, so that a skill gets the name
   * of its own folder.
   */
  #meetLink(folder: Folder, name: string): void {
    const path = pathBelow(folder, name);
    const target = this.#tree.realPath(join(this.#root, path));
    if (target === undefined || !leadsToFolder(target)) return;
    if (this.#options.followLinks || isBelow(target, this.#root))
      this.#links.push({ folder: newFolder(path, folder, folder.isInside), target });
    else this.#report(path, "link", "The link points outside the source and is not followed.");
  }

  /** The links whose target folders are not visited yet. */
  #takeLinks(): Folder[] {
    if (this.#links.length === 0) return [];
    const visited = new Set([...this.#plain, ...this.#skills].map(({ path }) => join(this.#root, path)));
    const links = this.#links.splice(0).sort((a, b) => comparePaths(a.folder.path, b.folder.path));
    return links.flatMap(({ folder, target }) => {
      if (visited.has(target) || this.#seen.has(target)) return [];
      this.#seen.add(target);
      return [folder];
    });
  }

  #readGitIgnore(folder: string): void {
    const read = readBounded(join(this.#root, folder, ".gitignore"), GITIGNORE_BYTES, {
      allowHardLinks: true,
    });
    if ("problem" in read) return;
    const matcher = ignore({ ignorecase: false }).add(new TextDecoder().decode(read.bytes));
    const prefix = folder === "" ? "" : `${folder}/`;
    const changedMs = Math.max(read.mtimeMs, read.ctimeMs);
    this.#ignored.push({ prefix, file: `${prefix}.gitignore`, matcher, changedMs });
  }

  #isIgnored(path: string): boolean {
    return this.#ignored.some(
      ({ prefix, matcher }) => path.startsWith(prefix) && matcher.ignores(`${path.slice(prefix.length)}/`),
    );
  }

  #queue(name: string, parent: Folder, isInside: boolean): void {
    const path = pathBelow(parent, name);
    if (this.#isIgnored(path)) return;
    if (name.includes("\uFFFD"))
      this.#report(path, "bad-name", "The name is not UTF-8 and cannot be opened.");
    else this.#below.push(newFolder(path, parent, isInside));
  }

  #list({ path }: Folder): Listing {
    const listing: Listing = { files: [], folders: [], links: [], hasTools: false, hasGitIgnore: false };
    try {
      for (const entry of this.#tree.list(join(this.#root, path))) addToListing(entry, listing);
    } catch (error) {
      this.#report(
        path,
        "unreadable",
        `The folder cannot be listed (${errorCodeOf(error) || "unknown failure"}).`,
      );
    }
    return listing;
  }

  #report(path: string, reason: DiscoveryProblem["reason"], message: string): void {
    // Limits are always reported; a thousand broken folders are not listed one by one.
    const isBound = reason === "too-deep" || reason === "too-many-folders";
    if (this.#problems.length < MAX_PROBLEMS || isBound)
      this.#problems.push({ path: path || ".", reason, message });
    else this.#unlisted += 1;
  }
}

/** The names in a folder that matter to the search. */
interface Listing {
  /** The spellings of SKILL.md, whatever they name. */
  readonly files: string[];
  readonly folders: string[];
  readonly links: string[];
  hasTools: boolean;
  hasGitIgnore: boolean;
}

/** Whether a search goes on from a folder with these names. */
function leadsOn({ files, folders, links, hasGitIgnore }: Listing): boolean {
  return files.length + folders.length + links.length > 0 || hasGitIgnore;
}

function addToListing(entry: TreeEntry, listing: Listing): void {
  const { name } = entry;
  if (isSkillFile(name)) listing.files.push(name);
  if (entry.isDirectory()) {
    if (name === TOOLS_FOLDER) listing.hasTools = true;
    if (!isSkipped(name)) listing.folders.push(name);
  } else if (entry.isSymbolicLink()) {
    if (!isSkipped(name)) listing.links.push(name);
  }
  if (name === ".gitignore") listing.hasGitIgnore = true;
}

interface GitIgnore {
  readonly prefix: string;
  readonly file: string;
  readonly matcher: Ignore;
  readonly changedMs: number;
}

function newFolder(path: string, parent: Folder | undefined, isInside: boolean): Folder {
  return { path, parent, isInside, changedMs: 0, holdsSkill: false };
}

function pathBelow({ path }: Folder, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The last change of a path; zero when it is missing. */
export function changeOf(path: string): number {
  const stats = tryStat(path);
  return stats === undefined ? 0 : lastChange(stats);
}

/** The later of mtime and ctime; programs cannot set back ctime. */
function lastChange({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}

function isSkipped(name: string): boolean {
  return name.startsWith("_") || isJunk(name);
}

function leadsToFolder(path: string): boolean {
  return tryStat(path)?.isDirectory() ?? false;
}
