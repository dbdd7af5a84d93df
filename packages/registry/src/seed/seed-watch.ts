import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findRealPath } from "@skillhold/core/bundle";
import { FolderWatch } from "@skillhold/core/library";
import { type CancelTimer, systemTimers, type Timers } from "@skillhold/core/port";
import { isJunk } from "@skillhold/skill";
import type { RegistryContext } from "../record/registry-context.ts";
import { type SeedOptions, type SeedReport, seedSkills } from "./seed.ts";

export interface WatchSeedsOptions extends SeedOptions {
  /** Quiet time after the last change before seeding again. */
  readonly debounceMs?: number;
  /** How often to check a folder that cannot be watched. */
  readonly pollMs?: number;
  readonly maxWatches?: number;
  /** The machine's timers by default. */
  readonly timers?: Timers;
  /** Called after each seeding. */
  readonly onSeed?: (report: SeedReport) => void;
}

export interface SeedWatch {
  /** Stops, and waits for running work. */
  close(): Promise<void>;
}

/**
 * Seeds bundled skills again when their folder changes, once per burst of changes. A skill broken by an edit
 * keeps its last revision. The first seeding is immediate, because changes before the watches were set are
 * unknown.
 */
export function watchSeeds(folder: string, options: WatchSeedsOptions, context: RegistryContext): SeedWatch {
  const watch = new LiveSeeds(folder, options, context);
  watch.seed();
  return watch;
}

const DEBOUNCE_MS = 500;
const POLL_MS = 5000;
/** The longest delay during a continuous burst of changes. */
const LONGEST_WAIT_MS = 5000;
const MAX_WATCHES = 4096;

class LiveSeeds implements SeedWatch {
  readonly #folder: string;
  readonly #options: WatchSeedsOptions;
  readonly #context: RegistryContext;
  readonly #watch = new FolderWatch(() => this.#schedule());
  readonly #timers: Timers;
  readonly #cancelPoll: CancelTimer;
  readonly #stop = new AbortController();
  #cancelSeed: CancelTimer | undefined;
  #firstHintAt = 0;
  #running: Promise<void> | undefined;
  #checks: Promise<unknown> = Promise.resolve();
  #isDue = false;

  constructor(folder: string, options: WatchSeedsOptions, context: RegistryContext) {
    this.#folder = folder;
    this.#options = options;
    this.#context = context;
    this.#timers = options.timers ?? systemTimers;
    this.#cancelPoll = this.#timers.every(options.pollMs ?? POLL_MS, () => this.#poll());
    options.signal?.addEventListener("abort", () => this.#end(), { once: true, signal: this.#stop.signal });
    if (options.signal?.aborted === true) this.#end();
  }

  async close(): Promise<void> {
    this.#end();
    while (this.#running !== undefined) await this.#running;
    await this.#checks;
  }

  /** One seeding at a time; changes during it trigger one more. */
  seed(): void {
    this.#isDue = true;
    this.#running ??= this.#work();
  }

  #end(): void {
    this.#stop.abort();
    this.#cancelSeed?.();
    this.#cancelPoll();
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
        // An edit does not wait for the checks of the previous one.
        this.#checks = Promise.all([this.#checks, report.checks]);
      } catch (problem) {
        if (!signal.aborted) this.#options.onProblem?.(problem);
      }
    }
    this.#running = undefined;
  }

  /** Restarts the quiet time, unless changes have been arriving for too long. */
  #schedule(): void {
    const now = this.#timers.now();
    if (this.#cancelSeed === undefined) this.#firstHintAt = now;
    else if (now - this.#firstHintAt > LONGEST_WAIT_MS) return;
    this.#cancelSeed?.();
    const seed = () => {
      this.#cancelSeed = undefined;
      this.seed();
    };
    const debounceMs = this.#options.debounceMs ?? DEBOUNCE_MS;
    this.#cancelSeed = this.#timers.after(debounceMs, seed, { isBackground: true });
  }

  #poll(): void {
    if (this.#watch.size === 0 || this.#watch.isFailing) this.seed();
  }

  /** Set before the skills are read, so that every change is either read or reported. */
  #setWatches(): void {
    const root = findRealPath(this.#folder);
    const max = this.#options.maxWatches ?? MAX_WATCHES;
    const folders = root === undefined ? [] : listFolders(root, max);
    this.#watch.set(folders.length > max ? [] : folders);
  }
}

/** The folders that may contain bundle files; one more than `max` if there are more. */
function listFolders(root: string, max: number): readonly string[] {
  const folders = [root];
  // The list grows during the loop.
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
    // A folder that is gone or not readable cannot be watched.
    return [];
  }
}
