import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Limits } from "@skillhold/protocol/limits";
import ignore, { type Ignore } from "ignore";
import { errorCodeOf } from "./contain.ts";
import { isJunk } from "./ignore-rule.ts";
import { comparePaths } from "./name.ts";
import { Pace } from "./pace.ts";
import { readBounded } from "./read-file.ts";

/** A folder with an entry of the right name; whether that is a readable file is for its reader to say. */
export interface SkillFolder {
  /** Relative to the root, `.` for the root itself. */
  readonly path: string;
  readonly absolute: string;
  readonly file: "SKILL.md" | "skill.md";
  /** There is a folder named `tools`. */
  readonly hasTools: boolean;
}

export interface DiscoveryProblem {
  readonly path: string;
  readonly reason: "missing" | "unreadable" | "link" | "bad-name" | "too-deep" | "too-many-folders" | "more";
  readonly message: string;
}

export interface FoundSkills {
  /** The real path of the root, or the path as given when there is none. */
  readonly root: string;
  readonly skills: readonly SkillFolder[];
  readonly problems: readonly DiscoveryProblem[];
  /**
   * The folders, relative to the root, whose list of entries decides which skills there are: as long as they stay
   * as they are, no skill has come or gone.
   */
  readonly containers: readonly string[];
  /** How many folders were looked into. */
  readonly folders: number;
}

export interface FindOptions {
  /** Follow links to folders, wherever they lead; each folder is still visited once. */
  readonly followLinks?: boolean;
  /**
   * Tells a skill folder that has no folders in it, so that it need not be listed. Listing is the larger part of a
   * search, and most skills are one file.
   */
  readonly isLeafSkill?: ((folder: string) => boolean) | undefined;
  /** Leave out what the .gitignore files on the way ignore. */
  readonly gitignore?: boolean;
  readonly signal?: AbortSignal;
  /** Called now and then with the counts so far. */
  readonly onProgress?: (progress: { readonly folders: number; readonly skills: number }) => void;
}

type DiscoveryLimits = Pick<Limits, "discoveryDepth" | "discoveryFolders">;

const FOLDERS_BETWEEN_RESTS = 128;
const MAX_PROBLEMS = 1000;
const GITIGNORE_BYTES = 64 * 1024;

/**
 * Finds the folders that hold a SKILL.md, below other skills as well, level by level: when a bound is hit, what
 * was found is what lies nearest to the root. Never throws for what is on the disk.
 */
export async function findSkillFolders(
  root: string,
  limits: DiscoveryLimits,
  options: FindOptions = {},
): Promise<FoundSkills> {
  const real = findRealPath(root);
  if (real === undefined) {
    return {
      root,
      skills: [],
      problems: [{ path: ".", reason: "missing", message: `There is no folder ${root}.` }],
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

class Search {
  readonly #root: string;
  readonly #limits: DiscoveryLimits;
  readonly #options: FindOptions;
  readonly #seen = new Set<string>();
  readonly #links: { readonly path: string; readonly target: string }[] = [];
  readonly #ignored: GitIgnore[] = [];
  readonly #plain: string[] = [];
  readonly #skills: SkillFolder[] = [];
  readonly #problems: DiscoveryProblem[] = [];
  #level: string[] = [""];
  #below: string[] = [];
  #at = 0;
  #depth = 0;
  #folders = 0;
  #unlisted = 0;

  constructor(root: string, limits: DiscoveryLimits, options: FindOptions) {
    this.#root = root;
    this.#limits = limits;
    this.#options = options;
    this.#seen.add(root);
  }

  get progress(): { readonly folders: number; readonly skills: number } {
    return { folders: this.#folders, skills: this.#skills.length };
  }

  /** Looks into one more folder; false when there is none, or no more may be looked into. */
  visitNext(): boolean {
    if (this.#at === this.#level.length && !this.#descend()) return false;
    const folder = this.#level[this.#at] ?? "";
    if (this.#folders === this.#limits.discoveryFolders) {
      const bound = `${this.#limits.discoveryFolders} folders were searched (limit discoveryFolders)`;
      this.#report(folder, "too-many-folders", `${bound}; the rest was not, beginning here.`);
      return false;
    }
    this.#at += 1;
    this.#folders += 1;
    this.#visit(folder);
    return true;
  }

  finish(): FoundSkills {
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
    const below = this.#below.length > 0 ? this.#below.sort(comparePaths) : this.#takeLinks();
    const first = below[0];
    if (first === undefined) return false;
    if (this.#depth === this.#limits.discoveryDepth) {
      const rest = below.length === 1 ? "one folder was" : `${below.length} folders were`;
      this.#report(
        first,
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

  #containers(): readonly string[] {
    const skills = new Set(this.#skills.map(({ path }) => path));
    const above = new Set(this.#skills.flatMap(({ path }) => ancestors(path)));
    const isInsideSkill = (path: string) => ancestors(path).some((folder) => skills.has(folder));
    const outside = this.#plain.filter((path) => above.has(path) || !isInsideSkill(path));
    return [...outside, ...this.#skills.map(({ path }) => path).filter((path) => above.has(path))];
  }

  #visit(folder: string): void {
    const absolute = folder === "" ? this.#root : `${this.#root}${sep}${folder}`;
    if (this.#options.isLeafSkill?.(absolute)) {
      this.#skills.push({ path: folder || ".", absolute, file: "SKILL.md", hasTools: false });
      return;
    }
    const names = new Set<string>();
    const entries = this.#list(folder);
    if (this.#options.gitignore && entries.some(({ name }) => name === ".gitignore"))
      this.#readGitIgnore(folder);
    for (const entry of entries) {
      // Taken by its exact name from the listing: asking the disk would find either name where case is ignored.
      if (entry.name === "SKILL.md" || entry.name === "skill.md") names.add(entry.name);
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isSkipped(entry.name)) continue;
      if (entry.isDirectory()) this.#queue(path);
      else if (entry.isSymbolicLink()) this.#meetLink(path);
    }
    if (names.size === 0) {
      this.#plain.push(folder || ".");
      return;
    }
    const file = names.has("SKILL.md") ? "SKILL.md" : "skill.md";
    this.#skills.push({
      path: folder || ".",
      absolute,
      file,
      hasTools: entries.some((entry) => entry.name === "tools" && entry.isDirectory()),
    });
  }

  /** Links wait until every real folder was visited, so that a skill is called by its own folder where it has one. */
  #meetLink(path: string): void {
    const target = findRealPath(join(this.#root, path));
    if (target === undefined || !leadsToFolder(target)) return;
    if (this.#options.followLinks || isBelow(target, this.#root)) this.#links.push({ path, target });
    else this.#report(path, "link", "It is a link to a folder outside the source, which is not followed.");
  }

  /** Of the links met, those that lead to folders not visited yet. */
  #takeLinks(): string[] {
    const visited = new Set(
      [...this.#plain, ...this.#skills.map(({ path }) => path)].map((path) => join(this.#root, path)),
    );
    const links = this.#links.splice(0).sort((a, b) => comparePaths(a.path, b.path));
    return links.flatMap(({ path, target }) => {
      if (visited.has(target) || this.#seen.has(target)) return [];
      this.#seen.add(target);
      return [path];
    });
  }

  #readGitIgnore(folder: string): void {
    const read = readBounded(join(this.#root, folder, ".gitignore"), GITIGNORE_BYTES, {
      allowHardLinks: true,
    });
    if ("problem" in read) return;
    const matcher = ignore({ ignorecase: false }).add(new TextDecoder().decode(read.bytes));
    this.#ignored.push({ prefix: folder === "" ? "" : `${folder}/`, matcher });
  }

  #isIgnored(path: string): boolean {
    return this.#ignored.some(
      ({ prefix, matcher }) => path.startsWith(prefix) && matcher.ignores(`${path.slice(prefix.length)}/`),
    );
  }

  #queue(path: string): void {
    if (this.#isIgnored(path)) return;
    if (path.includes("\uFFFD"))
      this.#report(path, "bad-name", "Its name is not UTF-8, so that it cannot be opened.");
    else this.#below.push(path);
  }

  #list(folder: string): readonly Dirent[] {
    try {
      return readdirSync(join(this.#root, folder), { withFileTypes: true });
    } catch (error) {
      this.#report(
        folder,
        "unreadable",
        `The folder cannot be listed (${errorCodeOf(error) || "unknown failure"}).`,
      );
      return [];
    }
  }

  #report(path: string, reason: DiscoveryProblem["reason"], message: string): void {
    // The bounds are always told; a thousand broken folders are not told one by one.
    const isBound = reason === "too-deep" || reason === "too-many-folders";
    if (this.#problems.length < MAX_PROBLEMS || isBound)
      this.#problems.push({ path: path || ".", reason, message });
    else this.#unlisted += 1;
  }
}

/**
 * For disks on which a folder's count of links is two and its folders, as those of Linux mostly are; where it is
 * not, folders are listed. A link inside a skill folder is not looked at: no skill is found through one.
 */
export function isLeafSkill(folder: string): boolean {
  if (statSync(folder, { throwIfNoEntry: false })?.nlink !== 2) return false;
  return statSync(`${folder}/SKILL.md`, { throwIfNoEntry: false }) !== undefined;
}

interface GitIgnore {
  readonly prefix: string;
  readonly matcher: Ignore;
}

/** The folders above a relative path, the root as `.`. */
function ancestors(path: string): readonly string[] {
  if (path === ".") return [];
  const parts = path.split("/");
  return [".", ...parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))];
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function isSkipped(name: string): boolean {
  return name.startsWith("_") || isJunk(name);
}

function findRealPath(root: string): string | undefined {
  try {
    return realpathSync.native(root);
  } catch {
    // Whatever the cause, there is nothing to search; the caller reports it.
    return undefined;
  }
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A link that leads nowhere hides no skill.
    return false;
  }
}
