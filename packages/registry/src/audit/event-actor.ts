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
const MOST_OPEN = 10_000;

interface SessionActors {
  /** Whether the first entry of the session opened it: its other entries then name an actor that opened it. */
  readonly isOpenedFirst: boolean;
  readonly actors: readonly EventActor[];
}

interface OpenEntry {
  readonly seq: number;
  readonly session: string;
  readonly actor: EventActor;
}

/**
 * Compares the actor columns with the events. An event that names no actor has one that opened its session, also if a
 * later entry of the same batch opened it, or the one of its session's first entry. Contract: called once per entry, in
 * the order of the log.
 */
export class ActorCheck {
  readonly #sessions = new LRUCache<string, SessionActors>({
    max: MOST_SESSIONS,
    dispose: (_, __, reason) => {
      if (reason === "evict") this.#isPartial = true;
    },
  });
  /** Entries whose actor may still open their session. */
  #open: OpenEntry[] = [];
  /** Whether entries that may have opened a session are pruned or forgotten. */
  #isPartial = false;

  /** A pruned entry may have opened a session. */
  skip(): void {
    this.#isPartial = true;
  }

  /** Whether the columns agree with the entry, as far as the entries so far show. */
  isTrue(row: AuditRow, event: SkillEvent): boolean {
    const own = ownActor(event);
    const stored: EventActor = { agent: row.agent ?? null, person: row.person ?? null };
    const { session } = row;
    const known = session === undefined ? undefined : this.#note(session, event, own);
    if (own !== undefined) return isSame(stored, own);
    if (session === undefined || known === undefined) return isSame(stored, NO_ACTOR);
    if (this.#isPartial && !known.isOpenedFirst) return true;
    const mayBeNone = this.#isPartial || !known.isOpenedFirst;
    if (known.actors.some((actor) => isSame(stored, actor))) return true;
    if (mayBeNone && isSame(stored, NO_ACTOR)) return true;
    if (this.#open.length >= MOST_OPEN) return false;
    this.#open.push({ seq: row.seq, session, actor: stored });
    return true;
  }

  /** The numbers of entries whose actor never opened their session. */
  unresolved(): readonly number[] {
    return this.#open.map(({ seq }) => seq);
  }

  #note(session: string, event: SkillEvent, own: EventActor | undefined): SessionActors {
    const before = this.#sessions.get(session);
    const isOpening = event.type === "session.opened";
    if (before !== undefined && !isOpening) return before;
    const actors = own === undefined ? [] : [own];
    const known = {
      isOpenedFirst: before?.isOpenedFirst ?? isOpening,
      actors: [...(before?.actors ?? []), ...actors],
    };
    this.#sessions.set(session, known);
    if (isOpening && this.#open.length > 0)
      this.#open = this.#open.filter(
        (each) => each.session !== session || !actors.some((own) => isSame(own, each.actor)),
      );
    return known;
  }
}

export const NO_ACTOR: EventActor = { agent: null, person: null };

function isSame(one: EventActor, other: EventActor): boolean {
  return one.agent === other.agent && one.person === other.person;
}
