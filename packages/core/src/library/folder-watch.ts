import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { tryStat } from "../bundle/index.ts";

/** The hint of a watched folder: an entry changed, or a folder may have been added or removed. */
export type WatchHint = "content" | "folder";

interface Watched {
  readonly watcher: FSWatcher;
  /** The identity of the watched folder, which another folder may replace. */
  readonly ino: number;
}

/**
 * Watches folders without recursion, one watch each, up to the caller's budget. It only gives hints; a rescan finds
 * the changes.
 */
export class FolderWatch {
  readonly #onHint: (hint: WatchHint, folder: string) => void;
  readonly #watched = new Map<string, Watched>();
  #isFailing = false;

  constructor(onHint: (hint: WatchHint, folder: string) => void) {
    this.#onHint = onHint;
  }

  /** True when the system refused a watch, and the caller should poll. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Watches exactly these folders; a replaced folder gets a new watch. */
  set(folders: Iterable<string>): void {
    const wanted = new Set(folders);
    for (const [folder, { ino }] of this.#watched) {
      if (!wanted.has(folder) || tryStat(folder)?.ino !== ino) this.#drop(folder);
    }
    for (const folder of wanted) if (!this.#watched.has(folder)) this.#add(folder);
  }

  close(): void {
    this.set([]);
  }

  #add(folder: string): void {
    const ino = tryStat(folder)?.ino;
    if (ino === undefined) return;
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => this.#meet(folder, event, name));
      watcher.on("error", () => this.#drop(folder));
      this.#watched.set(folder, { watcher, ino });
    } catch (error) {
      // A missing folder is not an error; running out of watches is.
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#isFailing = true;
    }
  }

  #drop(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }

  #meet(folder: string, event: string, name: string | null): void {
    const stats = event === "rename" && name !== null ? tryStat(join(folder, name)) : undefined;
    this.#onHint(event === "rename" && stats?.isFile() !== true ? "folder" : "content", folder);
  }
}
