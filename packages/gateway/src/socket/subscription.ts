import { SkillError } from "@skillhold/protocol/error";
import type { ServerMessage } from "@skillhold/protocol/http";
import type { StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { EventAudience, Share } from "./event-audience.ts";
import { EventText } from "./event-text.ts";
import type { LogPages } from "./log-page.ts";
import type { SessionOwners } from "./session-owner.ts";
import type { SocketLine } from "./socket-line.ts";

/** Where one is told of events as they come. */
export interface LiveEvents {
  /** The number of the last event that was told there. */
  readonly last: number;
  join(subscription: Subscription): void;
  leave(subscription: Subscription): void;
}

export interface SubscriptionPorts {
  readonly live: LiveEvents;
  readonly pages: LogPages;
  readonly owners: SessionOwners;
  readonly audience: () => EventAudience;
  readonly onFailure: (error: unknown) => void;
}

export interface Subscribing {
  readonly principal: Principal;
  /** The number of the last event that the client has. */
  readonly after: number;
  /** All, when it is undefined. */
  readonly types: readonly string[] | undefined;
}

/**
 * One client's place in the log. It reads pages until it has caught up, and then takes what is told to all: every event
 * after its place comes once and in order, or the connection ends.
 */
export class Subscription {
  readonly principal: Principal;
  readonly #line: SocketLine;
  readonly #ports: SubscriptionPorts;
  readonly #types: ReadonlySet<string> | undefined;
  /** The number of the last event that was sent, or was not for this client. */
  #at: number;
  #isOver = false;

  constructor({ principal, after, types }: Subscribing, line: SocketLine, ports: SubscriptionPorts) {
    this.principal = principal;
    this.#at = after;
    this.#types = types === undefined ? undefined : new Set(types);
    this.#line = line;
    this.#ports = ports;
  }

  /** Never fails: what goes wrong is told to the owner of the connection. */
  async start(): Promise<void> {
    try {
      await this.#catchUp();
    } catch (error) {
      if (!this.#isOver) this.#ports.onFailure(error);
    }
  }

  /** Takes the next event. Contract: it has joined. */
  take({ seq, event }: StoredEvent, share: Share, text: EventText): void {
    if (seq <= this.#at || this.#isOver) return;
    if (seq !== this.#at + 1) {
      this.fail(new Error(`Event ${seq} came after event ${this.#at}.`));
      return;
    }
    this.#at = seq;
    if (share !== "none" && this.#wants(event.type)) this.#line.send(text.of(share));
  }

  fail(error: unknown): void {
    this.end();
    this.#ports.onFailure(error);
  }

  end(): void {
    this.#isOver = true;
    this.#ports.live.leave(this);
  }

  async #catchUp(): Promise<void> {
    const { live, pages } = this.#ports;
    while (this.#at < live.last) {
      const page = await pages.read(this.#at);
      if (this.#isOver) return;
      if (page.length === 0) throw putBack();
      await this.#sendPage(page);
      if (this.#isOver) return;
    }
    // In the same turn as the last look: there is nothing between what was read and what will be told.
    live.join(this);
    this.#tell({ seq: this.#at, caughtUp: true });
  }

  /** No faster than the client reads. One that is ended while it waits sends nothing more. */
  async #sendPage(page: readonly StoredEvent[]): Promise<void> {
    const audience = this.#ports.audience();
    for (const stored of page) {
      this.#ports.owners.learn(stored);
      const share = this.#wants(stored.event.type)
        ? await audience.shareOf(stored.event, this.principal)
        : "none";
      await this.#line.flushed();
      if (this.#isOver) return;
      this.take(stored, share, new EventText(stored));
    }
  }

  #wants(type: string): boolean {
    return this.#types?.has(type) ?? true;
  }

  #tell(message: ServerMessage): void {
    this.#line.send(JSON.stringify(message));
  }
}

function putBack(): SkillError {
  return new SkillError("INTEGRITY_FAILED", "The log is shorter than it was.");
}
