import type { EventQuery, ListedEvent } from "@skillhold/registry/record";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import type { CatalogueContext } from "../running-context.ts";
import { EventAudience } from "../socket/event-audience.ts";
import { SessionOwners } from "../socket/session-owner.ts";
import { SocketViewers } from "../socket/socket-viewer.ts";

/** The audit log as one caller may read it: all of it, or the events of managed skills that sockets send whole. */
export class SharedLog {
  readonly #principal: Principal;
  readonly #context: Pick<CatalogueContext, "registry" | "library">;

  constructor(principal: Principal, context: Pick<CatalogueContext, "registry" | "library">) {
    this.#principal = principal;
    this.#context = context;
  }

  async listEvents(query: EventQuery): Promise<readonly ListedEvent[]> {
    const { store } = this.#context.registry;
    if (isAdministrator(this.#principal)) return await store.listEvents(query);
    const audience = this.#audience();
    const managed = { ...query, managedBy: this.#principal.user };
    const shared: ListedEvent[] = [];
    for (let next: EventQuery = managed; ; ) {
      const page = await store.listEvents(next);
      for (const listed of page)
        if ((await audience.shareOf(listed.event, this.#principal)) === "all") shared.push(listed);
      const last = page.at(-1)?.seq;
      if (last === undefined || page.length < query.limit || shared.length >= query.limit)
        return shared.slice(0, query.limit);
      next = { ...managed, ...(query.order === "newest" ? { before: last } : { after: last }) };
    }
  }

  /** The number of the last event that the caller may see: others must not change a response. */
  async lastEvent(): Promise<number> {
    if (isAdministrator(this.#principal)) return await this.#context.registry.store.lastEvent();
    return (await this.listEvents({ order: "newest", limit: 1 }))[0]?.seq ?? 0;
  }

  /** A new one per page, because it caches who manages a skill. */
  #audience(): EventAudience {
    const { registry, library } = this.#context;
    const viewers = new SocketViewers({ registry });
    return new EventAudience({
      context: { registry, library },
      viewers,
      owners: new SessionOwners(registry.store),
    });
  }
}
