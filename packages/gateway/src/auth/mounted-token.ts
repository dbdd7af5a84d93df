import type { Clock } from "@skillhold/core/port";
import type { Mount } from "../mount.ts";
import type { LogEntry } from "../telemetry/log.ts";
import type { Principal } from "./principal.ts";

export interface MountedTokenPorts {
  readonly mounts: readonly Mount[];
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

const LOOK_MS = 5000;

/** Who has used what is mounted, so that it ends with their tokens: a stream or a call may last for longer. */
export class MountedTokens {
  readonly #ports: MountedTokenPorts;
  readonly #known = new Map<string, Pick<Principal, "agent" | "expiresAt">>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: MountedTokenPorts) {
    this.#ports = ports;
  }

  note({ token, agent, expiresAt }: Principal): void {
    this.#known.set(token, { agent, expiresAt });
    this.#timer ??= setInterval(() => void this.endExpired(), LOOK_MS).unref();
  }

  /** What fails is told to the log: nobody waits for it. */
  async endToken(token: string): Promise<void> {
    if (!this.#known.delete(token)) return;
    await this.#each((mount) => mount.endToken?.(token));
  }

  async endAgent(key: string): Promise<void> {
    await this.#endThose(({ agent }) => agent === key);
  }

  /** It happens by itself; whoever cannot wait may call it. */
  async endExpired(): Promise<void> {
    const now = this.#ports.clock.now().getTime();
    await this.#endThose(({ expiresAt }) => Date.parse(expiresAt) <= now);
  }

  async stop(): Promise<void> {
    await this.#each((mount) => mount.stop?.());
  }

  close(): void {
    clearInterval(this.#timer);
    this.#known.clear();
  }

  async #endThose(isMeant: (known: Pick<Principal, "agent" | "expiresAt">) => boolean): Promise<void> {
    const tokens = [...this.#known].filter(([, known]) => isMeant(known)).map(([token]) => token);
    await Promise.all(tokens.map((token) => this.endToken(token)));
  }

  async #each(tell: (mount: Mount) => Promise<void> | undefined): Promise<void> {
    for (const end of await Promise.allSettled(this.#ports.mounts.map(async (mount) => tell(mount))))
      if (end.status === "rejected")
        this.#ports.log({ level: "error", event: "mount.end_failed", error: end.reason });
  }
}
