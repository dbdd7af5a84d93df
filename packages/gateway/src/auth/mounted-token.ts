import type { CancelTimer, Clock, Timers } from "@skillhold/core/port";
import type { GatewayMount } from "../mount.ts";
import type { LogEntry } from "../telemetry/log.ts";
import type { Principal } from "./principal.ts";

export interface MountedTokenPorts {
  readonly mounts: readonly GatewayMount[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
}

const CHECK_MS = 5000;

/** The tokens that used a mount. Their streams and calls end when the token expires or is revoked. */
export class MountedTokens {
  readonly #ports: MountedTokenPorts;
  readonly #tokens = new Map<string, Pick<Principal, "agent" | "expiresAt">>();
  #cancel: CancelTimer | undefined;

  constructor(ports: MountedTokenPorts) {
    this.#ports = ports;
  }

  note({ token, agent, expiresAt }: Principal): void {
    this.#tokens.set(token, { agent, expiresAt });
    this.#cancel ??= this.#ports.timers.every(CHECK_MS, () => void this.endExpired());
  }

  /** Failures are logged. */
  async endToken(token: string): Promise<void> {
    if (!this.#tokens.delete(token)) return;
    await this.#each((mount) => mount.endToken?.(token));
  }

  async endAgent(key: string): Promise<void> {
    await this.#endMatching(({ agent }) => agent === key);
  }

  /** Runs on a timer; tests call it directly. */
  async endExpired(): Promise<void> {
    const now = this.#ports.clock.now().getTime();
    await this.#endMatching(({ expiresAt }) => Date.parse(expiresAt) <= now);
  }

  async stop(): Promise<void> {
    await this.#each((mount) => mount.stop?.());
  }

  close(): void {
    this.#cancel?.();
    this.#tokens.clear();
  }

  async #endMatching(isMatch: (token: Pick<Principal, "agent" | "expiresAt">) => boolean): Promise<void> {
    const tokens = [...this.#tokens].filter(([, token]) => isMatch(token)).map(([token]) => token);
    await Promise.all(tokens.map((token) => this.endToken(token)));
  }

  async #each(call: (mount: GatewayMount) => Promise<void> | undefined): Promise<void> {
    for (const end of await Promise.allSettled(this.#ports.mounts.map(async (mount) => call(mount))))
      if (end.status === "rejected")
        this.#ports.log({ level: "error", event: "mount.end_failed", error: end.reason });
  }
}
