import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { tryStat } from "../bundle/index.ts";

/** What a watched folder hints at: that something in it changed, or that a folder may have come or gone. */
export type WatchHint = "content" | "folder";

interface Watched {
  readonly watcher: FSWatcher;
  /** The folder that is watched; another one may have taken its place. */
  readonly ino: number;
}

/**
 * Watches folders, not files and not trees: one watch each, up to a budget that the caller keeps. It only ever
 * hints; what changed is for a rescan to say.
 */
export class FolderWatch {
  readonly #onHint: (hint: WatchHint) => void;
  readonly #watched = new Map<string, Watched>();
  #isFailing = false;

  constructor(onHint: (hint: WatchHint) => void) {
    this.#onHint = onHint;
  }

  /** True when the system refused a watch; the caller should poll. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Watches these folders and no others; one that was replaced by another of the same name is watched anew. */
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
      // A folder that is gone is no failure of watching; being out of watches is.
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
    this.#onHint(event === "rename" && stats?.isFile() !== true ? "folder" : "content");
  }
}
