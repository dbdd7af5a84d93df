import { type Dirent, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import ignore, { type Ignore } from "ignore";
import { inputError, messageOf, ScriptError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";

/** A skill as files, without what does not belong into one. */
export interface SkillFolder {
  readonly path: string;
  /** The name of the folder. */
  readonly name: string;
  /** In the order of their paths. */
  readonly files: readonly SkillFile[];
  /** Links and other things that are not files, which no skill may have. */
  readonly refused: readonly string[];
}

export interface SkillFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
  readonly isExecutable: boolean;
}

const MB = 1024 * 1024;
const MAX_FILES = 2000;
const MAX_BYTES = 50 * MB;
const MAX_DEPTH = 16;
const MAX_IGNORE_BYTES = 64 * 1024;

const JUNK: ReadonlySet<string> = new Set(
  ".DS_Store Thumbs.db desktop.ini __MACOSX .git .hg .svn node_modules __pycache__".split(" "),
);
const IGNORE_FILES = [".gitignore", ".skillignore"] as const;

/** Looks at a folder that is meant to be a skill. Nothing in it is run, and no link is followed. */
export function openSkillFolder(path: string, io: ScriptIo): SkillFolder {
  const absolute = resolve(io.cwd, path);
  const stats = lstatSync(absolute, { throwIfNoEntry: false });
  if (stats === undefined) throw new ScriptError("FILE_NOT_FOUND", `There is no folder ${path}.`);
  if (!stats.isDirectory())
    throw inputError("NOT_A_FOLDER", `${path} is not a folder.`, "Name the folder of a skill.");
  const found = new Finding(absolute, path);
  found.walk("", 0);
  const files = found.files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return { path, name: basename(absolute), files, refused: found.refused.toSorted() };
}

class Finding {
  readonly files: SkillFile[] = [];
  readonly refused: string[] = [];
  readonly #root: string;
  readonly #label: string;
  readonly #ignored: Ignore;
  #bytes = 0;

  constructor(root: string, label: string) {
    this.#root = root;
    this.#label = label;
    this.#ignored = readIgnoreFiles(root);
  }

  walk(folder: string, depth: number): void {
    if (depth > MAX_DEPTH) throw inputError("SKILL_TOO_LARGE", `${this.#label} is nested too deeply.`);
    for (const entry of readdirSync(join(this.#root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (this.#isLeftOut(entry, path)) continue;
      if (entry.isDirectory()) this.walk(path, depth + 1);
      else if (entry.isFile()) this.#add(path);
      else this.refused.push(path);
    }
  }

  #isLeftOut(entry: Dirent, path: string): boolean {
    if (JUNK.has(entry.name)) return true;
    return path !== "SKILL.md" && this.#ignored.ignores(entry.isDirectory() ? `${path}/` : path);
  }

  #add(path: string): void {
    const absolute = join(this.#root, path);
    const { size, mode } = statSync(absolute);
    this.#bytes += size;
    this.files.push({ path, absolute, size, isExecutable: (mode & 0o111) !== 0 });
    if (this.files.length <= MAX_FILES && this.#bytes <= MAX_BYTES) return;
    throw inputError(
      "SKILL_TOO_LARGE",
      `${this.#label} has more than ${MAX_FILES} files or ${MAX_BYTES} bytes.`,
    );
  }
}

/** One that is there and cannot be read is an error: without it, what an author keeps back would be packed. */
function readIgnoreFiles(root: string): Ignore {
  const rules = ignore({ ignorecase: false });
  for (const name of IGNORE_FILES) {
    const path = join(root, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (!stats.isFile() || stats.size > MAX_IGNORE_BYTES) {
      throw inputError("IGNORE_FILE_UNREADABLE", `${name} is not a file of a few lines.`);
    }
    try {
      rules.add(readFileSync(path, "utf8"));
    } catch (error) {
      throw inputError("IGNORE_FILE_UNREADABLE", `${name} cannot be read: ${messageOf(error)}`);
    }
  }
  return rules;
}
