import type { CancelTimer, Clock, Timers } from "@skillhold/core/port";
import { neutralText } from "@skillhold/core/text";
import type { CardPush } from "../record/workspace.ts";
import type { WorkspaceCard } from "./compose-workspace.ts";
import type { PlatformTarget } from "./workspace-config.ts";

/** Sends one JSON document. Contract: it resolves a host once and refuses private addresses unless the operator allows them. */
export type SendJson = (url: string, body: object, token: string | undefined) => Promise<void>;

export interface CardPushPorts {
  readonly send: SendJson;
  readonly clock: Clock;
  readonly timers: Timers;
  /** The value of an environment variable. */
  readonly env: (name: string) => string | undefined;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

interface Target {
  readonly platform: PlatformTarget;
  failures: number;
  cancelRetry: CancelTimer | undefined;
  isBusy: boolean;
  /** Whether a newer card waits for the push in progress. */
  isDue: boolean;
  last: CardPush | undefined;
}

/** Pushes the card of a workspace to other platforms. A failed push is retried and never delays the workspace. */
export class CardPusher {
  readonly #id: string;
  readonly #ports: CardPushPorts;
  readonly #targets = new Map<string, Target>();
  #card: WorkspaceCard | undefined;

  constructor(id: string, ports: CardPushPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  /** The last result of each platform that was asked. */
  get results(): readonly CardPush[] {
    return [...this.#targets.values()].flatMap(({ last }) => last ?? []);
  }

  /** Pushes a card to these platforms, and to no others from now on. */
  push(card: WorkspaceCard, platforms: readonly PlatformTarget[]): void {
    this.#card = card;
    const wanted = new Set(platforms.map(({ url }) => url));
    for (const [url, target] of this.#targets) {
      target.cancelRetry?.();
      if (!wanted.has(url)) this.#targets.delete(url);
    }
    for (const platform of platforms) {
      const known = this.#targets.get(platform.url);
      const target = known ?? {
        platform,
        failures: 0,
        cancelRetry: undefined,
        isBusy: false,
        isDue: false,
        last: undefined,
      };
      this.#targets.set(platform.url, target);
      void this.#send(target);
    }
  }

  close(): void {
    this.#card = undefined;
    for (const { cancelRetry } of this.#targets.values()) cancelRetry?.();
    this.#targets.clear();
  }

  /** Never rejects. */
  async #send(target: Target): Promise<void> {
    if (target.isBusy) {
      target.isDue = true;
      return;
    }
    target.isBusy = true;
    do {
      target.isDue = false;
      await this.#sendOnce(target);
    } while (target.isDue);
    target.isBusy = false;
    if (
      target.last?.ok === false &&
      this.#card !== undefined &&
      this.#targets.get(target.platform.url) === target
    )
      this.#retry(target);
  }

  async #sendOnce(target: Target): Promise<void> {
    const { url, tokenEnv, workspaceId = this.#id } = target.platform;
    const card = this.#card;
    if (card === undefined) return;
    const base = url.endsWith("/") ? url : `${url}/`;
    try {
      const token = tokenEnv === undefined ? undefined : this.#ports.env(tokenEnv);
      if (tokenEnv !== undefined && token === undefined)
        throw new Error(`The variable ${tokenEnv} is not set.`);
      const address = new URL("registry/update-card", base).href;
      await this.#ports.send(address, { workspace_id: workspaceId, agent_card: card }, token);
      target.failures = 0;
      target.last = this.#result(url, true, "The platform stored the card.");
    } catch (error) {
      target.failures += 1;
      target.last = this.#result(url, false, error instanceof Error ? error.message : String(error));
    }
  }

  #retry(target: Target): void {
    const delay = Math.min(FIRST_RETRY_MS * 2 ** (target.failures - 1), LONGEST_RETRY_MS);
    target.cancelRetry = this.#ports.timers.after(delay, () => void this.#send(target), {
      isBackground: true,
    });
  }

  #result(url: string, ok: boolean, message: string): CardPush {
    return { url, at: this.#ports.clock.now().toISOString(), ok, message: neutralText(message, 300) };
  }
}
