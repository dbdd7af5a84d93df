import { SkillError } from "@skillhold/protocol/error";
import type { ServerMessage } from "@skillhold/protocol/http";
import { isNextEvent } from "@skillhold/registry/audit";
import type { StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { EventAudience, Share } from "./event-audience.ts";
import { EventMessage } from "./event-message.ts";
import type { LogFeed } from "./log-feed.ts";
import type { LogPages } from "./log-page.ts";
import type { SessionOwners } from "./session-owner.ts";
import type { SocketChannel } from "./socket-channel.ts";
import { viewKeyOf } from "./socket-viewer.ts";

/** The stream of new events. */
export interface LiveEvents {
  /** The number of the last published event. */
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

export interface SubscriptionOptions {
  readonly principal: Principal;
  /** The last event that the client has. */
  readonly after: number;
  /** The last event that was stored when the client subscribed. The new-event stream may not have reached it yet. */
  readonly end: number;
  /** Undefined for all types. */
  readonly types: readonly string[] | undefined;
  /** The key of a workspace that gets envelopes of its own events and those of its peers. */
  readonly workspace?: string | undefined;
}

/**
 * A client's position in the log. The subscription reads pages until it has caught up and then joins the stream of new
 * events. Every event arrives once and in order, or the connection ends.
 */
export class Subscription {
  readonly principal: Principal;
  /** The workspace that gets envelopes; undefined for a client of our protocol. */
  readonly workspace: string | undefined;
  readonly #channel: SocketChannel;
  readonly #ports: SubscriptionPorts;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #end: number;
  /** The last event that was sent or skipped. */
  #at: number;
  #isEnded = false;

  constructor(
    { principal, after, end, types, workspace }: SubscriptionOptions,
    channel: SocketChannel,
    ports: SubscriptionPorts,
  ) {
    this.principal = principal;
    this.workspace = workspace;
    this.#at = after;
    this.#end = end;
    this.#types = types === undefined ? undefined : new Set(types);
    this.#channel = channel;
    this.#ports = ports;
  }

  /** Never rejects; failures go to `onFailure`. */
  async start(): Promise<void> {
    try {
      await this.#catchUp();
    } catch (error) {
      if (!this.#isEnded) this.#ports.onFailure(error);
    }
  }

  /** Sends the next event. */
  receive(stored: StoredEvent, share: Share, message: EventMessage): void {
    const { seq, event } = stored;
    if (seq <= this.#at || this.#isEnded) return;
    if (!isNextEvent(stored, this.#at)) {
      this.fail(new Error(`Event ${seq} arrived after event ${this.#at}.`));
      return;
    }
    this.#at = seq;
    if (share === "none" || !this.#wants(event.type)) return;
    const text = this.workspace === undefined ? message.of(share) : message.envelopeFor(this.workspace);
    if (text !== undefined) this.#channel.send(text);
  }

  fail(error: unknown): void {
    this.end();
    this.#ports.onFailure(error);
  }

  end(): void {
    this.#isEnded = true;
    this.#ports.live.leave(this);
  }

  async #catchUp(): Promise<void> {
    const { live, pages } = this.#ports;
    while (this.#at < Math.max(live.last, this.#end)) {
      const page = await pages.read(this.#at);
      if (this.#isEnded) return;
      if (page.length === 0) throw truncatedLog();
      await this.#sendPage(page);
      if (this.#isEnded) return;
    }
    // Joining in the same turn as the last check leaves no gap between pages and new events.
    live.join(this);
    if (this.workspace === undefined) this.#send({ seq: this.#at, caughtUp: true });
  }

  /** Sends a page no faster than the client reads. */
  async #sendPage(page: readonly StoredEvent[]): Promise<void> {
    const audience = this.#ports.audience();
    for (const stored of page) {
      this.#ports.owners.note(stored);
      const share = this.#wants(stored.event.type)
        ? await audience.shareOf(stored.event, this.principal)
        : "none";
      await this.#channel.flushed();
      if (this.#isEnded) return;
      const tree = this.workspace === undefined ? undefined : await audience.workspacesOf(stored.event);
      this.receive(stored, share, new EventMessage(stored, tree));
    }
  }

  #wants(type: string): boolean {
    return this.#types?.has(type) ?? true;
  }

  #send(message: ServerMessage): void {
    this.#channel.send(JSON.stringify(message));
  }
}

function truncatedLog(): SkillError {
  return new SkillError("INTEGRITY_FAILED", "The audit log is shorter than before.");
}

/** Sends each new event to all subscriptions that have caught up. */
export class EventFanout implements LiveEvents {
  readonly #members = new Map<Subscription, string>();
  readonly #feed: () => Pick<LogFeed, "last">;

  constructor(feed: () => Pick<LogFeed, "last">) {
    this.#feed = feed;
  }

  get last(): number {
    return this.#feed().last;
  }

  join(subscription: Subscription): void {
    this.#members.set(subscription, viewKeyOf(subscription.principal));
  }

  leave(subscription: Subscription): void {
    this.#members.delete(subscription);
  }

  /** A subscription whose share cannot be decided fails, because it would miss the event. */
  async publish(stored: StoredEvent, audience: EventAudience): Promise<void> {
    const shares = await this.#decide(stored, audience);
    const hasWorkspace = [...this.#members.keys()].some(({ workspace }) => workspace !== undefined);
    const tree = hasWorkspace ? await audience.workspacesOf(stored.event) : undefined;
    const message = new EventMessage(stored, tree);
    for (const [member, viewKey] of [...this.#members]) {
      const decided = shares.get(viewKey);
      // A subscription that joined meanwhile already has the event.
      if (decided === undefined) continue;
      if (decided.status === "fulfilled") member.receive(stored, decided.value, message);
      else member.fail(decided.reason);
    }
  }

  /** Decides once per view key. */
  async #decide(
    { event }: StoredEvent,
    audience: EventAudience,
  ): Promise<ReadonlyMap<string, PromiseSettledResult<Share>>> {
    const principals = new Map<string, Principal>();
    for (const [{ principal }, viewKey] of this.#members) principals.set(viewKey, principal);
    const decided = await Promise.allSettled(
      [...principals.values()].map((principal) => audience.shareOf(event, principal)),
    );
    return new Map([...principals.keys()].flatMap((viewKey, at) => pair(viewKey, decided[at])));
  }
}

function pair<T>(key: string, value: T | undefined): readonly (readonly [string, T])[] {
  return value === undefined ? [] : [[key, value]];
}
