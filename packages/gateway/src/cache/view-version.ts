import type { IndexedLibrary } from "@skillhold/core/library";
import type { Clock } from "@skillhold/core/port";
import type { RegistryStore } from "@skillhold/registry/record";

export interface ViewVersionPorts {
  /** Contract: changes that do not come from the store are in its view without a refresh. */
  readonly library: IndexedLibrary;
  readonly store: Pick<RegistryStore, "engine" | "onCommit">;
  readonly clock: Clock;
  /** Called for failures outside a request. */
  readonly onError: (error: unknown) => void;
}

/**
 * A number that increases when the skills, their state, their grants or the agents change, so when any viewer's view may
 * change. Usage of skills does not change it.
 */
export class ViewVersion {
  readonly #ports: ViewVersionPorts;
  readonly #listeners = new Set<(version: number) => void>();
  readonly #stops: readonly (() => void | Promise<void>)[];
  /** Whether a query costs less than waiting for a notification. */
  readonly #isCheap: boolean;
  #view: object;
  #number: number;
  /** Whether the store reports commits; without reports every call queries it. */
  #isNotified = false;
  #isStale = true;
  /** The store's version at the last refresh. While the store still has it, a refresh is unnecessary. */
  #refreshedAt: number | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(ports: ViewVersionPorts) {
    this.#ports = ports;
    this.#isCheap = ports.store.engine === "sqlite";
    this.#view = ports.library.view();
    this.#number = ports.clock.now().getTime();
    const listening = this.#listen();
    this.#stops = [ports.library.onChange(() => this.#notifySoon()), async () => (await listening)?.()];
  }

  /**
   * The current number. Without `isStrict` it may miss a commit of another process that the store has not reported yet.
   * Rejects when the store cannot be read. `storeVersion` is the store's version, read after the commits that must be
   * covered.
   */
  async current(isStrict = false, storeVersion?: number): Promise<number> {
    if (storeVersion !== undefined && storeVersion === this.#refreshedAt) return this.#update();
    if (isStrict || this.#isStale || !this.#isNotified || this.#isCheap) this.#refresh(storeVersion);
    await this.#refreshing;
    return this.#update();
  }

  /** Calls the listener after each change; returns the function that stops it. */
  onChange(listener: (version: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Call after a commit of this process: the next call of `current` covers it before the store reports it. */
  expire(): void {
    this.#isStale = true;
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    for (const stop of this.#stops) await stop();
  }

  async #listen(): Promise<(() => Promise<void>) | undefined> {
    try {
      const stop = await this.#ports.store.onCommit(() => {
        this.#isStale = true;
        this.#notifySoon();
      });
      this.#isNotified = true;
      return stop;
    } catch (error) {
      this.#ports.onError(error);
      return undefined;
    }
  }

  #notifySoon(): void {
    if (this.#listeners.size === 0) return;
    // No request waits for this refresh, so a failure goes to the log.
    this.current().catch(this.#ports.onError);
  }

  /** Calls that arrive during a refresh wait for it. */
  #refresh(storeVersion: number | undefined): void {
    this.#isStale = false;
    const succeed = () => {
      this.#refreshedAt = storeVersion;
    };
    const fail = (error: unknown) => {
      this.#isStale = true;
      throw error;
    };
    this.#refreshing = this.#ports.library.refresh().then(succeed, fail);
  }

  /** The shelf replaces its view object on each change. */
  #update(): number {
    const view = this.#ports.library.view();
    if (view === this.#view) return this.#number;
    this.#view = view;
    this.#number = Math.max(this.#number + 1, this.#ports.clock.now().getTime());
    for (const listener of this.#listeners) this.#notify(listener);
    return this.#number;
  }

  /** A failing listener affects neither the other listeners nor the request. */
  #notify(listener: (version: number) => void): void {
    try {
      listener(this.#number);
    } catch (error) {
      this.#ports.onError(error);
    }
  }
}
