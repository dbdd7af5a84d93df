import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { RegistryContext } from "@skillhold/registry/record";
import { expireWorkspaces } from "@skillhold/registry/workspace";
import type { LogEntry } from "../telemetry/log.ts";

const SWEEP_MS = 10_000;

interface SweepPorts {
  readonly registry: RegistryContext;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
}

/** Marks workspaces without a heartbeat as offline, again and again. */
export class WorkspaceSweep {
  readonly #ports: SweepPorts;
  readonly #cancel: CancelTimer;
  #sweeping: Promise<unknown> | undefined;

  constructor(ports: SweepPorts) {
    this.#ports = ports;
    this.#cancel = ports.timers.every(SWEEP_MS, () => this.#sweep());
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#sweeping;
  }

  #sweep(): void {
    if (this.#sweeping !== undefined) return;
    const { registry, log } = this.#ports;
    this.#sweeping = expireWorkspaces(registry)
      .catch((error: unknown) => log({ level: "error", event: "workspace.sweep_failed", error }))
      .finally(() => {
        this.#sweeping = undefined;
      });
  }
}
