import type { StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { EventAudience, Share } from "./event-audience.ts";
import { EventMessage } from "./event-message.ts";
import type { LogFeed } from "./log-feed.ts";
import { viewKeyOf } from "./socket-viewer.ts";
import type { LiveEvents, Subscription } from "./subscription.ts";

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
    const message = new EventMessage(stored);
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
