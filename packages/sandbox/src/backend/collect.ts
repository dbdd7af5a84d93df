import { constants, type Dirent } from "node:fs";
import { type FileHandle, mkdir, open, opendir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCodeOf, normalizeRelative, SAFE_OPEN } from "@skillhold/core/bundle";
import type { Collected, CollectedFile } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { foldName } from "@skillhold/skill";

export interface CollectLimits {
  readonly files: number;
  readonly bytes: number;
}

/**
 * A program can create more names than files, so the number of inspected and reported entries is limited too.
 */
const ENTRIES_PER_FILE = 10;
const NAMED = 100;

/**
 * Copies the regular files below `source` to an empty folder, except those at or below `skipped` paths, which
 * do not belong to the program. Links, devices, hard-linked files and non-portable names are not copied but
 * reported. The copies belong to this user; of the mode, only the executable bit is kept.
 *
 * Contract: no process writes to `source` any more.
 */
export async function collectFiles(
  source: string,
  target: string,
  limits: CollectLimits,
  skipped: ReadonlySet<string> = new Set(),
): Promise<Collected> {
  await rejectNonEmpty(target);
  const collection = new Collection(source, target, limits, skipped);
  await collection.run();
  return { files: collection.files, refused: collection.refused };
}

async function rejectNonEmpty(target: string): Promise<void> {
  const names = await readdir(target).catch((error: unknown) => {
    throw new SkillError("IO_FAILED", `Cannot list ${target}.`, { cause: error });
  });
  if (names.length === 0) return;
  throw new SkillError("USAGE", `The output folder ${target} is not empty.`, {
    hint: "Choose an empty folder for the output files.",
  });
}

class Collection {
  readonly files: CollectedFile[] = [];
  readonly refused: { readonly path: string; readonly reason: string }[] = [];
  readonly #source: string;
  readonly #target: string;
  readonly #limits: CollectLimits;
  readonly #skipped: ReadonlySet<string>;
  #bytes = 0;
  #entries = 0;
  #unnamed = 0;

  constructor(source: string, target: string, limits: CollectLimits, skipped: ReadonlySet<string>) {
    this.#skipped = skipped;
    this.#source = source;
    this.#target = target;
    this.#limits = limits;
  }

  async run(): Promise<void> {
    const folders = [""];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (this.#isOver()) {
        this.#refuse(folder === "" ? "." : folder, "Too many files.");
        break;
      }
      folders.push(...(await this.#walk(folder)));
    }
    this.files.sort((a, b) => (a.path < b.path ? -1 : 1));
    if (this.#unnamed > 0)
      this.refused.push({ path: ".", reason: `${this.#unnamed} more entries were not copied.` });
  }

  #refuse(path: string, reason: string): void {
    if (this.refused.length < NAMED) this.refused.push({ path, reason });
    else this.#unnamed += 1;
  }

  #isOver(): boolean {
    return this.#entries >= this.#limits.files * ENTRIES_PER_FILE;
  }

  /** Copies the files of one folder and returns its subfolders. */
  async #walk(folder: string): Promise<readonly string[]> {
    const found: string[] = [];
    const taken = new Set<string>();
    try {
      for await (const entry of await opendir(join(this.#source, folder))) {
        this.#entries += 1;
        if (this.#isOver()) break;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (this.#skipped.has(path)) continue;
        const problem =
          findProblem(path, entry, taken) ?? (entry.isFile() ? await this.#take(path) : undefined);
        if (problem !== undefined) this.#refuse(path, problem);
        else if (entry.isDirectory()) found.push(path);
      }
    } catch (error) {
      this.#refuse(folder === "" ? "." : folder, `Cannot be listed (${errorCodeOf(error)}).`);
    }
    return found;
  }

  /** Copies one file, or returns the reason why not. */
  async #take(path: string): Promise<string | undefined> {
    if (this.files.length >= this.#limits.files) return `More than ${this.#limits.files} files.`;
    let handle: FileHandle;
    try {
      handle = await open(join(this.#source, path), SAFE_OPEN);
    } catch (error) {
      return `Cannot be opened (${errorCodeOf(error)}).`;
    }
    try {
      const stats = await handle.stat();
      const { size, mode } = stats;
      if (!stats.isFile()) return "Not a regular file.";
      if (stats.nlink > 1) return "Has hard links.";
      if (this.#bytes + size > this.#limits.bytes) return "The files exceed the total size limit.";
      this.#bytes += size;
      await copy(handle, size, join(this.#target, path), (mode & 0o100) !== 0 ? 0o755 : 0o644);
      this.files.push({ path, size });
      return undefined;
    } finally {
      await handle.close();
    }
  }
}

function findProblem(path: string, entry: Dirent, taken: Set<string>): string | undefined {
  if (entry.isSymbolicLink()) return "Symbolic link.";
  if (!entry.isFile() && !entry.isDirectory()) return "Neither a file nor a folder.";
  try {
    normalizeRelative(path, defaultLimits);
  } catch (error) {
    return error instanceof SkillError ? error.message : "The name is not usable.";
  }
  const key = foldName(entry.name);
  if (taken.has(key)) return "The name equals another file's name on some file systems.";
  taken.add(key);
  return undefined;
}

const CHUNK = 256 * 1024;

async function copy(from: FileHandle, size: number, target: string, mode: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const to = await open(
    target,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    mode,
  );
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(size, 1)));
    for (let at = 0; at < size; ) {
      const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytesRead === 0) break;
      await to.write(buffer, 0, bytesRead);
      at += bytesRead;
    }
    // Independent of this process's umask.
    await to.chmod(mode);
  } finally {
    await to.close();
  }
}
