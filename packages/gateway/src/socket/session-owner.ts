import type { RegistryReader, StoredEvent } from "@skillhold/registry/record";
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
  readonly #owners = new Map<string, Owner | undefined>();

  constructor(reader: Pick<RegistryReader, "eventsOfSession">) {
    this.#reader = reader;
  }

  /** Whether the session belongs to the same user and agent. */
  async isOwn(session: string, { user, agent }: Principal): Promise<boolean> {
    const owner = this.#owners.has(session) ? this.#owners.get(session) : await this.#find(session);
    this.#keep(session, owner);
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

  #keep(session: string, owner: Owner | undefined): void {
    this.#owners.delete(session);
    this.#owners.set(session, owner && { user: owner.user, agent: owner.agent });
    if (this.#owners.size <= MAX_SESSIONS) return;
    const [oldest] = this.#owners.keys();
    if (oldest !== undefined) this.#owners.delete(oldest);
  }
}
