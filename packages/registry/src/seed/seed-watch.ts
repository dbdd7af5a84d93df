import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findRealPath, isJunk } from "@skillhold/core/bundle";
import { FolderWatch } from "@skillhold/core/library";
import type { RegistryContext } from "../record/registry-context.ts";
import { type SeedOptions, type SeedReport, seedSkills } from "./seed.ts";

export interface WatchSeedsOptions extends SeedOptions {
  /** Quiet time after the last hint before the skills are taken in again. */
  readonly debounceMs?: number;
  /** How often they are looked at where they cannot be watched. */
  readonly pollMs?: number;
  readonly maxWatches?: number;
  /** Told of each time they were taken in. */
  readonly onSeed?: (report: SeedReport) => void;
}

export interface SeedWatch {
  /** Stops, and waits for what is under way. */
  close(): Promise<void>;
}

/**
 * Takes bundled skills in again when something in their folder changes: however many files are saved at once, it is
 * done once. A skill that is broken by an edit stays as it was. The first look is at once, because what changed
 * before the watches were set was seen by nobody.
 */
export function watchSeeds(folder: string, options: WatchSeedsOptions, context: RegistryContext): SeedWatch {
  const watch = new LiveSeeds(folder, options, context);
  watch.seed();
  return watch;
}

const DEBOUNCE_MS = 500;
const POLL_MS = 5000;
/** However long a storm of saves lasts, the skills are taken in at least this often. */
const LONGEST_WAIT_MS = 5000;
const MAX_WATCHES = 4096;

class LiveSeeds implements SeedWatch {
  readonly #folder: string;
  readonly #options: WatchSeedsOptions;
  readonly #context: RegistryContext;
  readonly #watch = new FolderWatch(() => this.#meet());
  readonly #clock: NodeJS.Timeout;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #firstHintAt = 0;
  #running: Promise<void> | undefined;
  #checks: Promise<unknown> = Promise.resolve();
  #isDue = false;

  constructor(folder: string, options: WatchSeedsOptions, context: RegistryContext) {
    this.#folder = folder;
    this.#options = options;
    this.#context = context;
    this.#clock = setInterval(() => this.#poll(), options.pollMs ?? POLL_MS).unref();
    options.signal?.addEventListener("abort", () => this.#end(), { once: true, signal: this.#stop.signal });
    if (options.signal?.aborted === true) this.#end();
  }

  async close(): Promise<void> {
    this.#end();
    while (this.#running !== undefined) await this.#running;
    await this.#checks;
  }

  /** One at a time: what changes meanwhile is taken in by one more. */
  seed(): void {
    this.#isDue = true;
    this.#running ??= this.#work();
  }

  #end(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#clock);
    this.#watch.close();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false;
      try {
        this.#setWatches();
        const report = await seedSkills(this.#folder, { ...this.#options, signal }, this.#context);
        this.#options.onSeed?.(report);
        // An edit need not wait for what is found out about the one before it.
        this.#checks = Promise.all([this.#checks, report.checks]);
      } catch (problem) {
        if (!signal.aborted) this.#options.onProblem?.(problem);
      }
    }
    this.#running = undefined;
  }

  /** Starts the quiet time anew, unless hints have been coming for too long. */
  #meet(): void {
    const now = performance.now();
    if (this.#timer === undefined) this.#firstHintAt = now;
    else if (now - this.#firstHintAt > LONGEST_WAIT_MS) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.seed();
    }, this.#options.debounceMs ?? DEBOUNCE_MS);
    this.#timer.unref();
  }

  #poll(): void {
    if (this.#watch.size === 0 || this.#watch.isFailing) this.seed();
  }

  /** Before the skills are read, so that a change is either read or hinted at. */
  #setWatches(): void {
    const root = findRealPath(this.#folder);
    const max = this.#options.maxWatches ?? MAX_WATCHES;
    const folders = root === undefined ? [] : listFolders(root, max);
    this.#watch.set(folders.length > max ? [] : folders);
  }
}

/** The folders that files of bundles may lie in; one more than the bound when there are more. */
function listFolders(root: string, max: number): readonly string[] {
  const folders = [root];
  // The list grows on the way.
  for (const folder of folders) {
    for (const entry of tryList(folder)) {
      if (entry.isDirectory() && !isJunk(entry.name)) folders.push(join(folder, entry.name));
      if (folders.length > max) return folders;
    }
  }
  return folders;
}

function tryList(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // It went away meanwhile, or may not be listed: then there is nothing in it to watch.
    return [];
  }
}
