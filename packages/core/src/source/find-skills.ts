import type { Stats } from "node:fs";
import { join, sep } from "node:path";
import type { Limits } from "@skillhold/protocol/limits";
import { comparePaths, findSkillFiles, isJunk, isToolFile, SKILL_FILE } from "@skillhold/skill";
import ignore, { type Ignore } from "ignore";
import { errorCodeOf } from "../bundle/contain.ts";
import { diskTree, type FileTree, type TreeEntry } from "../bundle/file-tree.ts";
import { Pace } from "../bundle/pace.ts";
import { readBounded } from "../bundle/read-file.ts";
import { tryStat } from "../bundle/try-stat.ts";
import { TOOLS_FOLDER } from "./open-skill.ts";

/** A folder with an entry named SKILL.md; the reader checks whether that is a readable file. */
export interface SkillFolder {
  /** Relative to the root, `.` for the root itself. */
  readonly path: string;
  readonly absolute: string;
  /** SKILL.md, as it is spelled in the folder; `tools` for a named folder with only tools. */
  readonly file: string;
  /** Other spellings of SKILL.md beside it, which are not read. */
  readonly unread?: readonly string[];
  /** Whether a folder `tools` exists. */
  readonly hasTools: boolean;
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

export interface FoundSkills {
  /** The real path of the root, or the given path when it does not exist. */
  readonly root: string;
  readonly skills: readonly SkillFolder[];
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

export interface FindOptions {
  /** Where the root is; the disk by default. */
  readonly tree?: FileTree;
  /** Follow links to any folder; each folder is still visited once. */
  readonly followLinks?: boolean;
  /**
   * True for a skill folder without subfolders, which need not be listed. Listing is most of the cost, and most skills
   * are one file.
   */
  readonly isLeafSkill?: ((folder: string, stats: Stats) => boolean) | undefined;
  /** Skip paths that the .gitignore files of parent folders ignore. */
  readonly gitignore?: boolean;
  /** The user named the root, so that it is a skill if it has only tools and contains no skills. */
  readonly isNamed?: boolean;
  readonly signal?: AbortSignal;
  /** Called periodically with the counts so far. */
  readonly onProgress?: (progress: { readonly folders: number; readonly skills: number }) => void;
}

type DiscoveryLimits = Pick<Limits, "discoveryDepth" | "discoveryFolders">;

const FOLDERS_BETWEEN_RESTS = 128;
const MAX_PROBLEMS = 1000;
const GITIGNORE_BYTES = 64 * 1024;

/**
 * Finds the folders with a SKILL.md, including those below other skills, level by level: if a limit is reached, the
 * results closest to the root are kept. Never throws for disk content.
 */
export async function findSkillFolders(
  root: string,
  limits: DiscoveryLimits,
  options: FindOptions = {},
): Promise<FoundSkills> {
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

class Search {
  readonly #tree: FileTree;
  readonly #root: string;
  readonly #limits: DiscoveryLimits;
  readonly #options: FindOptions;
  readonly #seen = new Set<string>();
  readonly #links: { readonly path: string; readonly target: string }[] = [];
  readonly #ignored: GitIgnore[] = [];
  readonly #stamps = new Map<string, number>();
  readonly #plain: string[] = [];
  /** Skills with subfolders, and the folders inside them. */
  readonly #inside = new Set<string>();
  /** Folders without SKILL.md that contain a folder `tools`. */
  readonly #withTools: string[] = [];
  readonly #skills: SkillFolder[] = [];
  readonly #problems: DiscoveryProblem[] = [];
  #level: string[] = [""];
  #below: string[] = [];
  #at = 0;
  #depth = 0;
  #folders = 0;
  #unlisted = 0;

  constructor(root: string, limits: DiscoveryLimits, options: FindOptions) {
    this.#tree = options.tree ?? diskTree;
    this.#root = root;
    this.#limits = limits;
    this.#options = options;
    this.#seen.add(root);
  }

  get progress(): { readonly folders: number; readonly skills: number } {
    return { folders: this.#folders, skills: this.#skills.length };
  }

  /** Searches one more folder; false after the last folder or at a limit. */
  visitNext(): boolean {
    if (this.#at === this.#level.length && !this.#descend()) return false;
    const folder = this.#level[this.#at] ?? "";
    if (this.#folders === this.#limits.discoveryFolders) {
      const bound = `${this.#limits.discoveryFolders} folders were searched (limit discoveryFolders)`;
      this.#report(folder, "too-many-folders", `${bound}; the rest, from here on, was skipped.`);
      return false;
    }
    this.#at += 1;
    this.#folders += 1;
    this.#visit(folder);
    return true;
  }

  finish(): FoundSkills {
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

  /** A folder inside a skill is part of that skill. */
  #reportToolsOnly(): void {
    const isInsideSkill = this.#insideSkill();
    for (const path of this.#withTools) {
      if (isInsideSkill(path) || !this.#hasToolFile(join(this.#root, path, "tools"))) continue;
      if (path === "." && this.#options.isNamed === true && this.#skills.length === 0) {
        this.#skills.push({ path, absolute: this.#root, file: TOOLS_FOLDER, hasTools: true });
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

  #insideSkill(): (path: string) => boolean {
    const skills = new Set(this.#skills.map(({ path }) => path));
    const isInside = (path: string): boolean => {
      const folder = parentOf(path);
      return folder !== undefined && (skills.has(folder) || isInside(folder));
    };
    return isInside;
  }

  #containers(): readonly Container[] {
    const above = new Set<string>();
    for (const { path } of this.#skills) {
      // All parents of a known container are containers too.
      for (let folder = parentOf(path); folder !== undefined && !above.has(folder); folder = parentOf(folder))
        above.add(folder);
    }
    const isInsideSkill = this.#insideSkill();
    const outside = this.#plain.filter((path) => above.has(path) || !isInsideSkill(path));
    const enclosing = this.#skills.map(({ path }) => path).filter((path) => above.has(path));
    return [...outside, ...enclosing, ...this.#ignored.map(({ file }) => file)].map((path) => {
      return { path, changedMs: this.#stamps.get(path) ?? 0 };
    });
  }

  #visit(folder: string): void {
    const absolute = folder === "" ? this.#root : `${this.#root}${sep}${folder}`;
    const stats = this.#tree.diskStats(absolute);
    const isInside = this.#inside.has(parentOf(folder) ?? "");
    // Folders inside a skill are rarely skills, so that the look for a SKILL.md costs more than it saves.
    if (!isInside && stats !== undefined && this.#options.isLeafSkill?.(absolute, stats)) {
      this.#skills.push({ path: folder || ".", absolute, file: SKILL_FILE, hasTools: false });
      return;
    }
    // Taken before the listing, so that the next scan notices concurrent changes.
    this.#stamps.set(folder || ".", stats === undefined ? 0 : lastChange(stats));
    const entries = this.#list(folder);
    if (this.#options.gitignore && entries.some(({ name }) => name === ".gitignore"))
      this.#readGitIgnore(folder);
    // Uses the exact name from the listing, because a case-insensitive disk accepts any spelling.
    const [file, ...unread] = findSkillFiles(entries.map(({ name }) => name));
    if (isInside || file !== undefined) this.#inside.add(folder || ".");
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isSkipped(entry.name)) continue;
      if (entry.isDirectory()) this.#queue(path);
    }
    if (file === undefined) {
      this.#plain.push(folder || ".");
      if (entries.some((entry) => entry.name === "tools" && entry.isDirectory()))
        this.#withTools.push(folder || ".");
      for (const entry of entries) if (entry.isSymbolicLink()) this.#meetLink(folder, entry.name);
      return;
    }
    this.#skills.push({
      path: folder || ".",
      absolute,
      file,
      ...(unread.length === 0 ? {} : { unread }),
      hasTools: entries.some((entry) => entry.name === "tools" && entry.isDirectory()),
    });
  }

  /**
   * A link inside a skill is not part of it. Links are followed after all real folders, so that a skill gets the name
   * of its own folder.
   */
  #meetLink(folder: string, name: string): void {
    if (isSkipped(name)) return;
    const path = folder === "" ? name : `${folder}/${name}`;
    const target = this.#tree.realPath(join(this.#root, path));
    if (target === undefined || !leadsToFolder(target)) return;
    if (this.#options.followLinks || isBelow(target, this.#root)) this.#links.push({ path, target });
    else this.#report(path, "link", "The link points outside the source and is not followed.");
  }

  /** The links whose target folders are not visited yet. */
  #takeLinks(): string[] {
    if (this.#links.length === 0) return [];
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
    const prefix = folder === "" ? "" : `${folder}/`;
    this.#stamps.set(`${prefix}.gitignore`, Math.max(read.mtimeMs, read.ctimeMs));
    this.#ignored.push({ prefix, file: `${prefix}.gitignore`, matcher });
  }

  #isIgnored(path: string): boolean {
    return this.#ignored.some(
      ({ prefix, matcher }) => path.startsWith(prefix) && matcher.ignores(`${path.slice(prefix.length)}/`),
    );
  }

  #queue(path: string): void {
    if (this.#isIgnored(path)) return;
    if (path.includes("\uFFFD"))
      this.#report(path, "bad-name", "The name is not UTF-8 and cannot be opened.");
    else this.#below.push(path);
  }

  #list(folder: string): readonly TreeEntry[] {
    try {
      return this.#tree.list(join(this.#root, folder));
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
    // Limits are always reported; a thousand broken folders are not listed one by one.
    const isBound = reason === "too-deep" || reason === "too-many-folders";
    if (this.#problems.length < MAX_PROBLEMS || isBound)
      this.#problems.push({ path: path || ".", reason, message });
    else this.#unlisted += 1;
  }
}

/**
 * For disks where the link count of a folder is two plus its subfolders, as usual on Linux. On other disks, folders
 * are listed.
 */
export function isLeafSkill(folder: string, stats: Stats): boolean {
  return stats.nlink === 2 && tryStat(`${folder}/SKILL.md`)?.isFile() === true;
}

interface GitIgnore {
  readonly prefix: string;
  readonly file: string;
  readonly matcher: Ignore;
}

/** The parent of a relative path; `.` for the root. */
function parentOf(path: string): string | undefined {
  if (path === ".") return undefined;
  const end = path.lastIndexOf("/");
  return end === -1 ? "." : path.slice(0, end);
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
