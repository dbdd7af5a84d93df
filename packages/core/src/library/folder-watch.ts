import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";

/** What a watched folder hints at: that something in it changed, or that a folder may have come or gone. */
export type WatchHint = "content" | "folder";

/**
 * Watches folders, not files and not trees: one watch each, up to a budget that the caller keeps. It only ever
 * hints; what changed is for a rescan to say.
 */
export class FolderWatch {
  readonly #onHint: (hint: WatchHint) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #isFailing = false;

  constructor(onHint: (hint: WatchHint) => void) {
    this.#onHint = onHint;
  }

  /** True when the system refused a watch; the caller should poll. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** Watches these folders and no others. */
  set(folders: Iterable<string>): void {
    const wanted = new Set(folders);
    for (const folder of [...this.#watchers.keys()]) if (!wanted.has(folder)) this.#drop(folder);
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  close(): void {
    this.set([]);
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => this.#meet(folder, event, name));
      watcher.on("error", () => this.#drop(folder));
      this.#watchers.set(folder, watcher);
    } catch (error) {
      // A folder that is gone is no failure of watching; being out of watches is.
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#isFailing = true;
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #meet(folder: string, event: string, name: string | null): void {
    if (event !== "rename") {
      this.#onHint("content");
      return;
    }
    const stats = name === null ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
    // The watch of a folder that was removed or replaced is deaf; it is set anew after the rescan.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) this.#drop(folder);
    this.#onHint(stats === undefined || stats.isDirectory() ? "folder" : "content");
  }
}
