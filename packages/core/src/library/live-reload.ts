import { join } from "node:path";
import { type CancelTimer, systemTimers, type Timers } from "../timers.ts";
import type { FolderShelf } from "./folder-shelf.ts";
import { FolderWatch, type WatchHint } from "./folder-watch.ts";
import { WatchedFiles } from "./watched-file.ts";

export interface LiveReloadOptions {
  /** The quiet time after the last hint before a scan. */
  readonly debounceMs?: number;
  /** The poll interval when there are too many folders to watch. */
  readonly pollMs?: number;
  /** The interval of full searches. */
  readonly fullMs?: number;
  /** The most watched folders. */
  readonly maxWatches?: number;
  /** The machine's timers by default. */
  readonly timers?: Timers;
  /** Called when a reload fails; the previous state stays. */
  readonly onError?: (error: unknown) => void;
  /** Called with the duration of a reload. */
  readonly onReload?: (ms: number) => void;
}

/** The longest delay of a reload during continuous changes. */
const LONGEST_WAIT_MS = 5000;

/** Keeps a shelf up to date: a watch or a timer triggers, and the rescan finds the changes. */
export class LiveReload {
  readonly #shelf: FolderShelf;
  readonly #options: Required<LiveReloadOptions>;
  readonly #watch: FolderWatch;
  readonly #files = new WatchedFiles();
  readonly #cancels: CancelTimer[] = [];
  #cancelReload: CancelTimer | undefined;
  #firstHintAt = 0;
  #needsSearch = false;
  #isClosed = false;

  constructor(shelf: FolderShelf, options: LiveReloadOptions = {}) {
    this.#shelf = shelf;
    this.#options = {
      debounceMs: 500,
      pollMs: 5000,
      fullMs: 60_000,
      maxWatches: 16_384,
      timers: systemTimers,
      onError: () => {},
      onReload: () => {},
      ...options,
    };
    this.#watch = new FolderWatch((hint, folder) => {
      this.#files.touch(folder);
      this.#meet(hint);
    });
    this.#setWatches();
    const { timers, pollMs, fullMs } = this.#options;
    this.#cancels.push(timers.every(pollMs, () => this.#poll()));
    this.#cancels.push(timers.every(fullMs, () => this.#reload(true)));
    // Changes between the first scan and the watches were not seen.
    this.#reload(false);
  }

  /** The current mode: watching or polling. */
  get mode(): "watch" | "poll" {
    return this.#watch.size === 0 || this.#watch.isFailing ? "poll" : "watch";
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReload?.();
    for (const cancel of this.#cancels) cancel();
    this.#watch.close();
  }

  /** Restarts the quiet time, unless hints have continued for too long. */
  #meet(hint: WatchHint): void {
    if (hint === "folder") this.#needsSearch = true;
    const { timers, debounceMs } = this.#options;
    const now = timers.now();
    if (this.#cancelReload === undefined) this.#firstHintAt = now;
    else if (now - this.#firstHintAt > LONGEST_WAIT_MS) return;
    this.#cancelReload?.();
    const reload = () => {
      this.#cancelReload = undefined;
      const isFull = this.#needsSearch;
      this.#needsSearch = false;
      this.#reload(isFull);
    };
    this.#cancelReload = timers.after(debounceMs, reload, { isBackground: true });
  }

  #poll(): void {
    const isAwaited = this.#shelf.scanned().some(({ scan }) => isMissing(scan.problems));
    if (isAwaited || this.mode === "poll") this.#reload(isAwaited);
  }

  /** Owns the promise: a failure is reported, and the next hint retries. */
  #reload(isFull: boolean): void {
    const { timers } = this.#options;
    const started = timers.now();
    this.#reloadAll(isFull).then(
      () => this.#options.onReload(timers.now() - started),
      (error: unknown) => this.#options.onError(error),
    );
  }

  async #reloadAll(isFull: boolean): Promise<void> {
    const edited = await this.#files.takeChanged(isFull);
    await this.#shelf.reload(isFull, { edited });
    this.#setWatches();
    await this.#files.follow(this.#skillFolders());
    this.#setWatches();
  }

  #skillFolders(): ReadonlySet<string> {
    const scans = this.#shelf.scanned().map(({ scan }) => scan);
    return new Set(scans.flatMap(({ root, rows }) => rows.map(({ path }) => join(root, path))));
  }

  /** Folders inside skills are watched only if the budget allows; a full search finds their changes otherwise. */
  #setWatches(): void {
    if (this.#isClosed) return;
    const folders = new Set(this.#skillFolders());
    for (const { scan } of this.#shelf.scanned())
      for (const { path } of scan.containers) folders.add(join(scan.root, path));
    const { maxWatches } = this.#options;
    const all = folders.union(new Set(this.#files.folders()));
    this.#watch.set(all.size <= maxWatches ? all : folders.size <= maxWatches ? folders : []);
  }
}

function isMissing(problems: readonly { readonly reason: string }[]): boolean {
  return problems.some(({ reason }) => reason === "missing");
}
