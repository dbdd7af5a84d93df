import type { SkillEvent } from "@skillhold/protocol";
import type { Tone } from "../../ui/badge.tsx";
import { sentenceOf } from "../../ui/event-sentence.ts";

/** An event as one line of the record. */
export interface EventLine {
  /** Whom the sentence begins with. */
  readonly who: string | undefined;
  readonly text: string;
  /** Who did it, where the sentence is not about them. */
  readonly by: string | undefined;
  readonly tone: Tone;
}

/** Who uses which session, as far as it is known. */
export type SessionNames = ReadonlyMap<string, string>;

/** Those whose sentence has a subject of its own. */
const complete: ReadonlySet<SkillEvent["type"]> = new Set([
  "skill.discovered",
  "skill.shadowed",
  "skill.status_changed",
  "run.approved",
]);

export function lineOf(event: SkillEvent, names: SessionNames): EventLine {
  const { text, tone, who } = sentenceOf(event);
  if (complete.has(event.type)) return { who: undefined, text, by: who, tone };
  const session = sessionOf(event);
  const name = who ?? (session === undefined ? undefined : names.get(session));
  // A sentence without a subject begins with its verb.
  const shown = name === undefined ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return { who: name, text: shown, by: undefined, tone };
}

export function sessionOf(event: SkillEvent): string | undefined {
  return "session" in event ? event.session : undefined;
}

export function skillOf(event: SkillEvent): string | undefined {
  return "skill" in event ? event.skill : undefined;
}

interface Acted {
  readonly event: SkillEvent;
  readonly agent?: string | undefined;
  readonly person?: string | undefined;
}

export function namesIn(events: readonly Acted[]): SessionNames {
  const names = new Map<string, string>();
  for (const { event, agent, person } of events) {
    const name = event.type === "session.opened" ? (event.agent ?? event.user) : (agent ?? person);
    const session = sessionOf(event);
    if (session !== undefined && name !== undefined && !names.has(session)) names.set(session, name);
  }
  return names;
}
