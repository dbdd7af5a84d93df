import type { SkillEvent } from "@skillhold/protocol";
import { actorOf, type EventActor, ownActor } from "@skillhold/registry/audit";
import { z } from "zod";
import type { Queries } from "../engine/db.ts";
import { chunks, sql, toStorable } from "../engine/sql.ts";

/** The actors of sessions, by the text of the session column. */
type SessionActors = ReadonlyMap<string, EventActor>;

const MOST_SESSIONS = 10_000;

/**
 * Caches the actors of sessions. The first event of a session never changes, so an actor found in a committed log stays
 * correct.
 */
export class ActorCache {
  readonly #known = new Map<string, EventActor>();

  /** The lookups of one transaction. */
  begin(): ActorLookup {
    return new ActorLookup(this.#known);
  }

  committed({ found }: ActorLookup): void {
    for (const [session, actor] of found) {
      this.#known.delete(session);
      this.#known.set(session, actor);
    }
    const oldest = this.#known.keys();
    while (this.#known.size > MOST_SESSIONS) this.#known.delete(oldest.next().value ?? "");
  }
}

/** The lookups of one transaction, which may be rolled back. */
export class ActorLookup {
  readonly found = new Map<string, EventActor>();
  readonly #known: SessionActors;

  constructor(known: SessionActors = new Map()) {
    this.#known = known;
  }

  /**
   * The actors of events that name none: those of events of the same batch that open the session, or those of the
   * session's first event.
   */
  async actorsOf(db: Queries, events: readonly SkillEvent[]): Promise<SessionActors> {
    const actors = new Map<string, EventActor>();
    for (const event of events)
      if (event.type === "session.opened")
        actors.set(toStorable(event.session), actorOf(event.agent, event.user));
    const unknown = new Set<string>();
    for (const event of events) {
      if (!("session" in event) || event.session === undefined || ownActor(event) !== undefined) continue;
      const session = toStorable(event.session);
      const actor = actors.get(session) ?? this.found.get(session) ?? this.#known.get(session);
      if (actor === undefined) unknown.add(session);
      else actors.set(session, actor);
    }
    if (unknown.size === 0) return actors;
    for (const [session, actor] of await selectActors(db, [...unknown])) {
      actors.set(session, actor);
      this.found.set(session, actor);
    }
    return actors;
  }
}

const ActorRow = z.object({
  session: z.string(),
  agent: z.string().nullable(),
  person: z.string().nullable(),
});

/** The actors of the sessions' first events. */
async function selectActors(db: Queries, sessions: readonly string[]): Promise<SessionActors> {
  const actors = new Map<string, EventActor>();
  for (const chunk of chunks(sessions)) {
    // The text does not depend on the number of sessions, so that both engines prepare it once.
    const keys = JSON.stringify(Object.fromEntries(chunk.map((session) => [session, 0])));
    const query = sql`select event.session, event.agent, event.person from json_each(${keys}) as wanted
      join event on event.seq = (select min(seq) from event where session = wanted.key)`;
    for (const { session, agent, person } of await db.all(query, ActorRow))
      actors.set(session, { agent, person });
  }
  return actors;
}
