import type { StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { EventAudience, Share } from "./event-audience.ts";
import { EventText } from "./event-text.ts";
import type { LogFeed } from "./log-feed.ts";
import { sightOf } from "./socket-viewer.ts";
import type { LiveEvents, Subscription } from "./subscription.ts";

/** Hands each event to all who have caught up. */
export class EventFan implements LiveEvents {
  readonly #members = new Map<Subscription, string>();
  readonly #feed: () => Pick<LogFeed, "last">;

  constructor(feed: () => Pick<LogFeed, "last">) {
    this.#feed = feed;
  }

  get last(): number {
    return this.#feed().last;
  }

  join(subscription: Subscription): void {
    this.#members.set(subscription, sightOf(subscription.principal));
  }

  leave(subscription: Subscription): void {
    this.#members.delete(subscription);
  }

  /** Whoever cannot be told what they should be is cut off, to come again: they would miss it else. */
  async tell(stored: StoredEvent, audience: EventAudience): Promise<void> {
    const shares = await this.#decide(stored, audience);
    const text = new EventText(stored);
    for (const [member, sight] of [...this.#members]) {
      const decided = shares.get(sight);
      // Whoever joined meanwhile has it already.
      if (decided === undefined) continue;
      if (decided.status === "fulfilled") member.take(stored, decided.value, text);
      else member.fail(decided.reason);
    }
  }

  /** Once for all who see the same. */
  async #decide(
    { event }: StoredEvent,
    audience: EventAudience,
  ): Promise<ReadonlyMap<string, PromiseSettledResult<Share>>> {
    const kinds = new Map<string, Principal>();
    for (const [{ principal }, sight] of this.#members) kinds.set(sight, principal);
    const decided = await Promise.allSettled(
      [...kinds.values()].map((principal) => audience.shareOf(event, principal)),
    );
    return new Map([...kinds.keys()].flatMap((sight, at) => pair(sight, decided[at])));
  }
}

function pair<T>(key: string, value: T | undefined): readonly (readonly [string, T])[] {
  return value === undefined ? [] : [[key, value]];
}
