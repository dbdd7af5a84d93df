import type { IndexedLibrary } from "@skillhold/core/library";
import type { Clock } from "@skillhold/core/port";
import type { RegistryStore } from "@skillhold/registry/record";

export interface ViewVersionPorts {
  /** Contract: what of it does not come from the store is in its view without being looked for. */
  readonly library: IndexedLibrary;
  readonly store: Pick<RegistryStore, "engine" | "onCommit">;
  readonly clock: Clock;
  /** Told of what fails while nobody waits for it. */
  readonly onError: (error: unknown) => void;
}

/**
 * A number that is a greater one after each change of what anyone may see: skills, their state, who may use them, and
 * agents. What agents do with skills changes nothing of that.
 */
export class ViewVersion {
  readonly #ports: ViewVersionPorts;
  readonly #listeners = new Set<(version: number) => void>();
  readonly #stops: readonly (() => void | Promise<void>)[];
  /** Whether to ask costs less than to wait for word. */
  readonly #isCheap: boolean;
  #view: object;
  #number: number;
  /** Whether the store tells of commits; while it does not, it is asked each time. */
  #isTold = false;
  #isBehind = true;
  /** The store's version before the last look that is over; while the store has it, there is nothing to look for. */
  #upTo: number | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(ports: ViewVersionPorts) {
    this.#ports = ports;
    this.#isCheap = ports.store.engine === "sqlite";
    this.#view = ports.library.layer.shelf.view();
    this.#number = ports.clock.now().getTime();
    const listening = this.#listen();
    this.#stops = [ports.library.onChange(() => this.#lookSoon()), async () => (await listening)?.()];
  }

  /**
   * The number, with all that was committed before the call as far as the store has told of it: it tells a moment later
   * of what others commit. To be sure, it is asked. Fails when that cannot be found out. `seen` is the store's version,
   * of whoever has asked for it since what must be known was committed.
   */
  async current(isSure = false, seen?: number): Promise<number> {
    if (seen !== undefined && seen === this.#upTo) return this.#settle();
    if (isSure || this.#isBehind || !this.#isTold || this.#isCheap) this.#refresh(seen);
    await this.#refreshing;
    return this.#settle();
  }

  /** Calls back after each change; returns the way to stop. */
  onChange(listener: (version: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something was committed here: the next one who asks sees it, whether or not the store has told of it by then. */
  expire(): void {
    this.#isBehind = true;
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    for (const stop of this.#stops) await stop();
  }

  async #listen(): Promise<(() => Promise<void>) | undefined> {
    try {
      const stop = await this.#ports.store.onCommit(() => {
        this.#isBehind = true;
        this.#lookSoon();
      });
      this.#isTold = true;
      return stop;
    } catch (error) {
      this.#ports.onError(error);
      return undefined;
    }
  }

  #lookSoon(): void {
    if (this.#listeners.size === 0) return;
    // The hint is nobody's question: what fails is told, and the next who asks is told for themselves.
    this.current().catch(this.#ports.onError);
  }

  /** Whoever asks meanwhile waits for it: what is known before it is over is not the newest. */
  #refresh(seen: number | undefined): void {
    this.#isBehind = false;
    const looked = () => {
      this.#upTo = seen;
    };
    const failed = (error: unknown) => {
      this.#isBehind = true;
      throw error;
    };
    this.#refreshing = this.#ports.library.layer.shelf.refresh().then(looked, failed);
  }

  /** Views are replaced whole, and only when something in them is another. */
  #settle(): number {
    const view = this.#ports.library.layer.shelf.view();
    if (view === this.#view) return this.#number;
    this.#view = view;
    this.#number = Math.max(this.#number + 1, this.#ports.clock.now().getTime());
    for (const listener of this.#listeners) this.#tell(listener);
    return this.#number;
  }

  /** A listener that fails keeps neither the others nor the one who asked from going on. */
  #tell(listener: (version: number) => void): void {
    try {
      listener(this.#number);
    } catch (error) {
      this.#ports.onError(error);
    }
  }
}
