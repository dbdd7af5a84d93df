import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { LogEntry } from "@skillhold/gateway";
import { pruneAudit } from "@skillhold/registry/audit";
import type { RegistryContext } from "@skillhold/registry/record";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface RetentionPorts {
  readonly registry: Pick<RegistryContext, "store" | "clock" | "limits">;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
}

/** In days. */
export interface RetentionSettings {
  /** Records of use in the audit log stay forever without it. */
  readonly auditDays?: number | undefined;
  readonly outputsDays: number;
}

/** Prunes old outputs of runs and old records of use in the audit log: at the start and every hour. */
export class Retention {
  readonly #settings: RetentionSettings;
  readonly #ports: RetentionPorts;
  readonly #stopping = new AbortController();
  readonly #cancel: CancelTimer;
  #pruning: Promise<void> | undefined;

  constructor(settings: RetentionSettings, ports: RetentionPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#cancel = ports.timers.every(HOUR_MS, () => this.#start());
    this.#start();
  }

  /** Waits for the batch in progress. */
  async close(): Promise<void> {
    this.#cancel();
    this.#stopping.abort();
    await this.#pruning;
  }

  #start(): void {
    this.#pruning ??= this.#prune().finally(() => {
      this.#pruning = undefined;
    });
  }

  async #prune(): Promise<void> {
    const { signal } = this.#stopping;
    await this.#attempt("outputs", () => this.#pruneOutputs());
    const { auditDays: days } = this.#settings;
    if (days !== undefined && !signal.aborted)
      await this.#attempt("audit", () => pruneAudit({ days, signal }, this.#ports.registry));
  }

  async #attempt(kind: "audit" | "outputs", prune: () => Promise<Pruned>): Promise<void> {
    const { log } = this.#ports;
    try {
      const { count, before } = await prune();
      if (count > 0) log({ level: "info", event: `${kind}.pruned`, fields: { count, before } });
    } catch (error) {
      if (!this.#stopping.signal.aborted) log({ level: "error", event: `${kind}.prune_failed`, error });
    }
  }

  async #pruneOutputs(): Promise<Pruned> {
    const { store, clock } = this.#ports.registry;
    const before = new Date(clock.now().getTime() - this.#settings.outputsDays * DAY_MS).toISOString();
    let count = 0;
    while (!this.#stopping.signal.aborted) {
      const pruned = await store.transaction((tx) => tx.pruneRunOutputs(before));
      if (pruned === 0) break;
      count += pruned;
    }
    return { count, before };
  }
}

interface Pruned {
  readonly count: number;
  readonly before: string;
}
