import type { RegistryReader, StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";

interface Owner {
  readonly user?: string | undefined;
  readonly agent?: string | undefined;
}

const MOST = 10_000;

/** Knows for whom sessions were opened, at this gateway or elsewhere: the log says it. */
export class SessionOwners {
  readonly #reader: Pick<RegistryReader, "eventsOfSession">;
  /** The one that was asked for last stands last. */
  readonly #known = new Map<string, Owner | undefined>();

  constructor(reader: Pick<RegistryReader, "eventsOfSession">) {
    this.#reader = reader;
  }

  /** Whether it is theirs: of the same user, and through the same agent or through none. */
  async isOwn(session: string, { user, agent }: Principal): Promise<boolean> {
    const owner = this.#known.has(session) ? this.#known.get(session) : await this.#find(session);
    this.#keep(session, owner);
    return owner !== undefined && owner.user === user && owner.agent === agent;
  }

  /** Spares a look at the log later. */
  learn({ event }: StoredEvent): void {
    if (event.type !== "session.opened" || this.#known.has(event.session)) return;
    this.#keep(event.session, event);
  }

  async #find(session: string): Promise<Owner | undefined> {
    const [first] = await this.#reader.eventsOfSession(session);
    return first?.event.type === "session.opened" ? first.event : undefined;
  }

  #keep(session: string, owner: Owner | undefined): void {
    this.#known.delete(session);
    this.#known.set(session, owner && { user: owner.user, agent: owner.agent });
    if (this.#known.size <= MOST) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
