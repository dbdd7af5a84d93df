import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { LogEntry } from "@skillhold/gateway";
import { pruneAudit } from "@skillhold/registry/audit";
import type { RegistryContext } from "@skillhold/registry/record";

const HOUR_MS = 3_600_000;

interface RetentionPorts {
  readonly registry: Pick<RegistryContext, "store" | "clock" | "limits">;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
}

/** Prunes old records of use in the audit log: at the start and every hour. */
export class AuditRetention {
  readonly #days: number;
  readonly #ports: RetentionPorts;
  readonly #stopping = new AbortController();
  readonly #cancel: CancelTimer;
  #pruning: Promise<void> | undefined;

  constructor(days: number, ports: RetentionPorts) {
    this.#days = days;
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
    const { registry, log } = this.#ports;
    const { signal } = this.#stopping;
    try {
      const { count, before } = await pruneAudit({ days: this.#days, signal }, registry);
      if (count > 0) log({ level: "info", event: "audit.pruned", fields: { count, before } });
    } catch (error) {
      if (!signal.aborted) log({ level: "error", event: "audit.prune_failed", error });
    }
  }
}
