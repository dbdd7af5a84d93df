import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { GatewayClient } from "./gateway-client.ts";
import { GatewaySocket } from "./gateway-socket.ts";

export interface WatchPorts {
  readonly client: GatewayClient;
  readonly limits: Limits;
  /** Asks what has changed, and tells of it. */
  readonly refresh: () => Promise<void>;
  /** Told of the first of several failures, and of what ends the watch. */
  readonly onError: (error: unknown) => void;
}

const FIRST_RETRY_MS = 1000;

/**
 * Looks again whenever the gateway says that something changed. Where no socket can be had, as behind some proxies, or
 * while it is lost, it looks now and then by itself; nothing that changed meanwhile is missed.
 */
export class ChangeWatch {
  /** Resolves when there is something to compare with. It never fails: a gateway that is down is asked again. */
  readonly started: Promise<void>;
  readonly #ports: WatchPorts;
  #socket: GatewaySocket | undefined;
  #polling: NodeJS.Timeout | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #failures = 0;
  #isTold = false;
  #looking: Promise<void> | undefined;
  #isDue = false;
  #isOver = false;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
    this.started = this.#look();
    this.#poll();
    this.#connect();
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#polling);
    clearTimeout(this.#retrying);
    this.#socket?.close();
  }

  #connect(): void {
    const { client, limits } = this.#ports;
    this.#socket = new GatewaySocket(
      client,
      {
        onAdmitted: () => this.#admitted(),
        onChanged: () => void this.#look(),
        onEnd: (refusal) => this.#lost(refusal),
      },
      limits,
    );
  }

  /** What changed before it was told of nothing is found by looking once more. */
  #admitted(): void {
    this.#failures = 0;
    clearInterval(this.#polling);
    this.#polling = undefined;
    void this.#look();
  }

  #lost(refusal: SkillError | undefined): void {
    this.#socket = undefined;
    if (refusal !== undefined) {
      this.#giveUp(refusal);
      return;
    }
    this.#poll();
    const delay = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, this.#ports.limits.remotePollMs);
    this.#failures += 1;
    this.#retrying = setTimeout(() => this.#connect(), delay).unref();
  }

  #poll(): void {
    this.#polling ??= setInterval(() => void this.#look(), this.#ports.limits.remotePollMs).unref();
  }

  /** One look at a time; a notice that comes meanwhile is worth another one. */
  #look(): Promise<void> {
    if (this.#looking !== undefined) this.#isDue = true;
    this.#looking ??= this.#lookWhileDue().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookWhileDue(): Promise<void> {
    do {
      this.#isDue = false;
      try {
        await this.#ports.refresh();
        this.#isTold = false;
      } catch (error) {
        this.#failed(error);
      }
    } while (this.#isDue && !this.#isOver);
  }

  #failed(error: unknown): void {
    if (this.#isOver) return;
    if (error instanceof SkillError && error.code === "UNAUTHENTICATED") this.#giveUp(error);
    else if (!this.#isTold) this.#ports.onError(error);
    this.#isTold = true;
  }

  /** A token that does not count never will again. */
  #giveUp(error: SkillError): void {
    if (this.#isOver) return;
    this.stop();
    this.#ports.onError(error);
  }
}
