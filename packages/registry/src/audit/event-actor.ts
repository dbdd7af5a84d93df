import type { SkillEvent } from "@skillhold/protocol";
import { LRUCache } from "lru-cache";
import type { AuditRow } from "../record/registry-store.ts";

/** The agent and the person of an event, for filters; null where there is none. */
export interface EventActor {
  readonly agent: string | null;
  readonly person: string | null;
}

/** The actor that the event itself names; undefined for an event whose session names it. */
export function ownActor(event: SkillEvent): EventActor | undefined {
  if (event.type === "session.opened") return actorOf(event.agent, event.user);
  if ("requester" in event && event.requester !== undefined) {
    const { agent, user } = event.requester;
    const isAnswer = event.type === "approval.granted" || event.type === "approval.denied";
    return actorOf(agent, isAnswer ? event.by : user);
  }
  const subject = "agent" in event && typeof event.agent === "string" ? event.agent : undefined;
  if ("by" in event && typeof event.by === "object" && "user" in event.by)
    return actorOf(event.by.agent ?? subject, event.by.user);
  if (subject !== undefined) return actorOf(subject, undefined);
  return "session" in event ? undefined : actorOf(undefined, undefined);
}

/** Names as both engines store them. */
export function actorOf(agent: string | undefined, person: string | undefined): EventActor {
  return { agent: columnText(agent) ?? null, person: columnText(person) ?? null };
}

/** The text as both engines store it. */
export function columnText(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll("\0", "\uFFFD");
}

const MOST_SESSIONS = 100_000;

/**
 * Compares the actor columns with the events. An event without an actor has the one of its session: of its first entry, or
 * of the entry that opened it. Contract: called once per entry, in the order of the log.
 */
export class ActorCheck {
  /** The possible actors of the most recent sessions; an entry of an older session is not compared. */
  readonly #sessions = new LRUCache<string, readonly EventActor[]>({ max: MOST_SESSIONS });
  #hasPruned = false;

  /** A pruned entry may have opened a session. */
  skip(): void {
    this.#hasPruned = true;
  }

  isTrue(row: AuditRow, event: SkillEvent): boolean {
    const own = ownActor(event);
    const stored: EventActor = { agent: row.agent ?? null, person: row.person ?? null };
    const known = row.session === undefined ? undefined : this.#sessions.get(row.session);
    const isFirst = known === undefined && row.session !== undefined;
    if (row.session !== undefined && (isFirst || event.type === "session.opened")) {
      // The first entry that is left may not be the first one of the session.
      const isSure = event.type === "session.opened" || !this.#hasPruned;
      if (isSure) this.#sessions.set(row.session, [...(known ?? []), own ?? NO_ACTOR]);
    }
    if (own !== undefined) return isSame(stored, own);
    if (known === undefined) return this.#hasPruned || isSame(stored, NO_ACTOR);
    // A pruned first entry may have named no actor.
    const possible = this.#hasPruned ? [...known, NO_ACTOR] : known;
    return possible.some((actor) => isSame(stored, actor));
  }
}

export const NO_ACTOR: EventActor = { agent: null, person: null };

function isSame(one: EventActor, other: EventActor): boolean {
  return one.agent === other.agent && one.person === other.person;
}
