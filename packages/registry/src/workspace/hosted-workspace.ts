import { randomUUID } from "node:crypto";
import { closeSync, type Dirent, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { chmod, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import {
  errorCodeOf,
  findRealPath,
  normalizeRelative,
  openInside,
  type RelativePath,
  writeFileAtomically,
} from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type ComposedWorkspace, composeWorkspace } from "./compose-workspace.ts";
import { addListedSkill, removeListedSkill } from "./config-edit.ts";
import { CONFIG_FILE, MAX_CONFIG_BYTES, readWorkspaceConfig } from "./workspace-config.ts";
import { readText, readWorkspaceFolder, SKILLS_FOLDER } from "./workspace-folder.ts";

/** The largest file that is read or written. */
export const MAX_WORKSPACE_FILE_BYTES = 1024 * 1024;
const MAX_LISTED = 5000;
const MAX_BUNDLE_BYTES = 8 * 1024 * 1024;

export interface WorkspaceFile {
  readonly path: string;
  readonly size: number;
  readonly dir: boolean;
}

/** The folder of one workspace below the folder that a gateway hosts. Every path stays below it. */
export class HostedWorkspace {
  readonly id: string;
  readonly folder: string;
  readonly #limits: Limits;
  /** Changes run one at a time, so that two edits of the list keep each other's lines. */
  readonly #changes: SerialQueue;

  constructor(id: string, folder: string, limits: Limits, changes: SerialQueue = new SerialQueue()) {
    this.id = id;
    this.folder = folder;
    this.#limits = limits;
    this.#changes = changes;
  }

  /** The card and the problems of the folder as it is now. */
  compose(url?: string | undefined): ComposedWorkspace {
    const { config, session } = readWorkspaceFolder(this.folder, this.id, { limits: this.#limits });
    const used = config ?? readWorkspaceConfig("").config;
    if (used === undefined) throw new Error("An empty config.yaml is valid.");
    return composeWorkspace(used, { ...session, url }, []);
  }

  /** The files below a path, without hidden ones, in order. */
  listFiles(path: string, depth: number): readonly WorkspaceFile[] {
    const start = path === "" ? "" : normalizeRelative(path);
    const found: WorkspaceFile[] = [];
    this.#list(start, depth, found);
    return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The text of a file. Throws for links, binary files and large files. */
  readFile(path: string): string {
    const text = readText(this.folder, path, MAX_WORKSPACE_FILE_BYTES);
    if (typeof text !== "string") throw text;
    if (!text.includes("\0")) return text;
    throw new SkillError("USAGE", `${path} is not a text file.`, { hint: "Only text files can be read." });
  }

  /** Writes a text file as a whole. A config.yaml that cannot be read as one is rejected. */
  async writeFile(path: string, text: string): Promise<void> {
    await this.#changes.run(() => this.#write(path, text));
  }

  async #write(path: string, text: string): Promise<void> {
    const checked = this.#checkPath(path);
    const bytes = new TextEncoder().encode(text);
    const max = path === CONFIG_FILE ? MAX_CONFIG_BYTES : MAX_WORKSPACE_FILE_BYTES;
    if (bytes.length > max)
      throw new SkillError(
        "LIMIT_EXCEEDED",
        `${path} has ${bytes.length} bytes; at most ${max} are allowed.`,
      );
    if (path === CONFIG_FILE) rejectUnreadableConfig(text);
    const parent = this.#makeParent(checked);
    const target = join(parent, basename(checked));
    rejectLink(target, path);
    await writeFileAtomically(target, join(parent, `.${randomUUID()}.partial`), bytes);
    await chmod(target, 0o644);
  }

  /** Removes a file, or a folder with its content. */
  removeFile(path: string): void {
    const checked = this.#checkPath(path);
    const target = join(this.#realParent(checked), basename(checked));
    try {
      lstatSync(target);
    } catch (error) {
      if (errorCodeOf(error) === "ENOENT" || errorCodeOf(error) === "ENOTDIR") throw notFound(path);
      throw error;
    }
    rmSync(target, { recursive: true, force: true });
  }

  /** Copies a skill into the folder and lists it. `copy` writes its files to an empty folder. */
  async addSkill(id: string, copy: (folder: string) => Promise<void>): Promise<void> {
    await this.#changes.run(() => this.#addSkill(id, copy));
  }

  async #addSkill(id: string, copy: (folder: string) => Promise<void>): Promise<void> {
    const config = this.#readConfig();
    const next = addListedSkill(config, id);
    const place = normalizeRelative(`${SKILLS_FOLDER}/${id}`);
    const parent = this.#makeParent(place);
    const fresh = join(parent, `.${randomUUID()}.new`);
    const old = join(parent, `.${randomUUID()}.old`);
    try {
      mkdirSync(fresh);
      await copy(fresh);
      await makeWritable(fresh);
      const target = join(parent, id);
      rejectLink(target, place);
      const isThere = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
      if (isThere) renameSync(target, old);
      try {
        renameSync(fresh, target);
      } catch (error) {
        if (isThere) renameSync(old, target);
        throw error;
      }
    } finally {
      rmSync(fresh, { recursive: true, force: true });
      rmSync(old, { recursive: true, force: true });
    }
    if (next !== config) await this.#write(CONFIG_FILE, next);
  }

  /** Removes a skill from the list and keeps its folder. */
  async removeSkill(id: string): Promise<void> {
    await this.#changes.run(() => this.#removeSkill(id));
  }

  async #removeSkill(id: string): Promise<void> {
    const config = this.#readConfig();
    const next = removeListedSkill(config, id);
    if (next === config)
      throw new SkillError(
        "SKILL_NOT_FOUND",
        `The workspace ${this.id} does not list the skill ${id.slice(0, 80)}.`,
      );
    await this.#write(CONFIG_FILE, next);
  }

  /** The text files of the workspace, for a bundle. Other files are left out and counted. */
  readAll(): { readonly files: Readonly<Record<string, string>>; readonly omitted: number } {
    const files: Record<string, string> = {};
    let omitted = 0;
    let bytes = 0;
    for (const { path, dir } of this.listFiles("", 32)) {
      if (dir) continue;
      const text = readText(this.folder, path, MAX_WORKSPACE_FILE_BYTES);
      if (typeof text !== "string" || text.includes("\0")) omitted += 1;
      else files[path] = text;
      bytes += typeof text === "string" ? text.length : 0;
      if (bytes > MAX_BUNDLE_BYTES)
        throw new SkillError(
          "LIMIT_EXCEEDED",
          `The workspace ${this.id} has more than ${MAX_BUNDLE_BYTES} bytes of text.`,
        );
    }
    return { files, omitted };
  }

  #readConfig(): string {
    const text = readText(this.folder, CONFIG_FILE, MAX_CONFIG_BYTES);
    if (typeof text === "string") return text;
    if (text.code === "PATH_NOT_FOUND") return "";
    throw text;
  }

  #checkPath(path: string): RelativePath {
    const checked = normalizeRelative(path);
    if (checked.split("/").some((part) => part.startsWith(".")))
      throw new SkillError("RESOURCE_OUTSIDE_SKILL", `The path ${path} is hidden.`, {
        hint: "Use names without a leading dot.",
      });
    return checked;
  }

  #list(path: string, depth: number, found: WorkspaceFile[]): void {
    for (const entry of this.#entries(path)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (found.length >= MAX_LISTED)
        throw new SkillError(
          "LIMIT_EXCEEDED",
          `The workspace ${this.id} has more than ${MAX_LISTED} files.`,
          {
            hint: "List a folder of it.",
          },
        );
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        found.push({ path: below, size: 0, dir: true });
        if (depth > 1) this.#list(below, depth - 1, found);
      } else if (entry.isFile()) found.push({ path: below, size: this.#sizeOf(below), dir: false });
    }
  }

  #entries(path: string): readonly Dirent[] {
    const absolute = join(this.folder, path);
    if (findRealPath(absolute) !== absolute) throw notFound(path);
    try {
      return readdirSync(absolute, { withFileTypes: true });
    } catch (error) {
      if (errorCodeOf(error) === "ENOTDIR" || errorCodeOf(error) === "ENOENT") throw notFound(path);
      throw error;
    }
  }

  #sizeOf(path: string): number {
    try {
      const { fd, stats } = openInside(this.folder, normalizeRelative(path));
      closeSync(fd);
      return stats.size;
    } catch {
      // A file that was removed or replaced by a link meanwhile.
      return 0;
    }
  }

  /** Creates the folders above a path. None of them may be a link. */
  #makeParent(path: RelativePath): string {
    const parts = dirname(path) === "." ? [] : dirname(path).split("/");
    let at = this.folder;
    for (const part of parts) {
      at = join(at, part);
      rejectLink(at, path);
      try {
        mkdirSync(at);
      } catch (error) {
        if (errorCodeOf(error) !== "EEXIST") throw error;
      }
    }
    return this.#realParent(path);
  }

  #realParent(path: RelativePath): string {
    const parent = join(this.folder, dirname(path));
    if (findRealPath(parent) === parent) return parent;
    if (findRealPath(parent) === undefined) throw notFound(path);
    throw new SkillError("RESOURCE_OUTSIDE_SKILL", `${path} is reached through a link.`, {
      details: { path },
    });
  }
}

/** The workspaces below one folder of the gateway's machine, by the key of their agent. */
export class WorkspaceHost {
  readonly root: string;
  readonly #limits: Limits;
  /** The changes of each workspace, by its key. */
  readonly #changes = new Map<string, SerialQueue>();

  /** Contract: `root` is a real path. */
  constructor(root: string, limits: Limits) {
    this.root = root;
    this.#limits = limits;
  }

  /** The workspace of an agent; undefined if it has no folder here. */
  find(key: string): HostedWorkspace | undefined {
    const folder = join(this.root, key);
    const isInside = basename(folder) === key && !key.startsWith(".") && dirname(folder) === this.root;
    if (!isInside || findRealPath(folder) !== folder) return undefined;
    if (!lstatSync(folder).isDirectory()) return undefined;
    const changes = this.#changes.get(key) ?? new SerialQueue();
    this.#changes.set(key, changes);
    return new HostedWorkspace(key, folder, this.#limits, changes);
  }

  /** Creates the folder of an agent, or returns the one that exists. */
  make(key: string): HostedWorkspace {
    const found = this.find(key);
    if (found !== undefined) return found;
    normalizeRelative(key);
    mkdirSync(join(this.root, key));
    const made = this.find(key);
    if (made === undefined)
      throw new SkillError("IO_FAILED", `The folder of the workspace ${key} cannot be created.`);
    return made;
  }
}

function rejectUnreadableConfig(text: string): void {
  const { problems } = readWorkspaceConfig(text);
  const error = problems.find(({ severity }) => severity === "error");
  if (error === undefined) return;
  throw new SkillError("CONFIG_INVALID", error.message, {
    hint: "Correct the field and save again.",
    details: { problems: problems.slice(0, 20) },
  });
}

function rejectLink(path: string, shown: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new SkillError("RESOURCE_OUTSIDE_SKILL", `${shown} is reached through a link.`, {
    details: { path: shown },
  });
}

/** A copy of a library is read-only; a workspace's owner edits its files. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeWritable(path);
    else await chmod(path, (lstatSync(path).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

function notFound(path: string): SkillError {
  return new SkillError("PATH_NOT_FOUND", `The path ${path || "."} does not exist.`, { details: { path } });
}
