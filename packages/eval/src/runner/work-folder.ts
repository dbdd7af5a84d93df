import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { join, posix } from "node:path";
import { normalizeRelative, openInside } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";

const MOST_FILES = 2000;
const MOST_ENTRIES = 20_000;
const LARGEST_READ = 1024 * 1024;

export interface WorkFile {
  readonly path: string;
  readonly size: number;
}

/**
 * The folder an agent works in. Reads and writes stay inside of it, and links are never followed.
 *
 * Contract: no other process works in the folder while a method runs.
 */
export class WorkFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = realpathSync(path);
  }

  /** The files that `read` accepts, sorted by path; at most 2,000, from the first 20,000 entries. */
  list(): readonly WorkFile[] {
    const files: WorkFile[] = [];
    let seen = 0;
    const visit = (folder: string) => {
      for (const entry of readdirSync(join(this.path, folder), { withFileTypes: true })) {
        seen += 1;
        if (files.length >= MOST_FILES || seen > MOST_ENTRIES) return;
        const path = posix.join(folder, entry.name);
        if (!isPlainPath(path)) continue;
        if (entry.isDirectory()) visit(path);
        const stats = entry.isFile() ? lstatSync(join(this.path, path)) : undefined;
        if (stats?.nlink === 1) files.push({ path, size: stats.size });
      }
    };
    visit("");
    return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The first megabyte of a file. */
  read(path: string): Uint8Array {
    const { fd, stats } = openInside(this.path, normalizeRelative(path), { allowHardLinks: false });
    try {
      const bytes = new Uint8Array(Math.min(stats.size, LARGEST_READ));
      let at = 0;
      while (at < bytes.length) {
        const count = readSync(fd, bytes, at, bytes.length - at, at);
        if (count === 0) break;
        at += count;
      }
      return bytes.subarray(0, at);
    } finally {
      closeSync(fd);
    }
  }

  write(path: string, content: string | Uint8Array): void {
    const name = normalizeRelative(path);
    this.#makeParents(name);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    const fd = openSync(join(this.path, name), flags, 0o644);
    try {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
  }

  #makeParents(path: string): void {
    const parts = path.split("/").slice(0, -1);
    for (const [index] of parts.entries()) {
      const folder = join(this.path, ...parts.slice(0, index + 1));
      const stats = lstatSync(folder, { throwIfNoEntry: false });
      if (stats === undefined) mkdirSync(folder);
      else if (!stats.isDirectory())
        throw new SkillError("USAGE", `${parts.slice(0, index + 1).join("/")} is not a folder.`);
    }
  }
}

/** Whether a path names a file below a folder by plain segments. */
export function isPlainPath(path: string): boolean {
  try {
    normalizeRelative(path);
    return true;
  } catch {
    return false;
  }
}
