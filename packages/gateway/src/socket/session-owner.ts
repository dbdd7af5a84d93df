import type { RegistryReader, StoredEvent } from "@skillhold/registry/record";
import { LRUCache } from "lru-cache";
import type { Principal } from "../auth/principal.ts";

interface Owner {
  readonly user?: string | undefined;
  readonly agent?: string | undefined;
}

const MAX_SESSIONS = 10_000;

/** The owners of sessions, from the audit log, also for sessions of other gateways. */
export class SessionOwners {
  readonly #reader: Pick<RegistryReader, "eventsOfSession">;
  /** In order of use, least recent first. */
  readonly #owners = new LRUCache<string, { readonly owner: Owner | undefined }>({ max: MAX_SESSIONS });

  constructor(reader: Pick<RegistryReader, "eventsOfSession">) {
    this.#reader = reader;
  }

  /** Whether the session belongs to the same user and agent. */
  async isOwn(session: string, { user, agent }: Principal): Promise<boolean> {
    const { owner } = this.#owners.get(session) ?? this.#keep(session, await this.#find(session));
    return owner !== undefined && owner.user === user && owner.agent === agent;
  }

  /** Caches the owner from an event, which saves a query later. */
  note({ event }: StoredEvent): void {
    if (event.type !== "session.opened" || this.#owners.has(event.session)) return;
    this.#keep(event.session, event);
  }

  async #find(session: string): Promise<Owner | undefined> {
    const [first] = await this.#reader.eventsOfSession(session);
    return first?.event.type === "session.opened" ? first.event : undefined;
  }

  #keep(session: string, owner: Owner | undefined): { readonly owner: Owner | undefined } {
    const kept = { owner: owner && { user: owner.user, agent: owner.agent } };
    this.#owners.set(session, kept);
    return kept;
  }
}
