import type { Digest, SkillEvent } from "@skillhold/protocol";
import type { RegistryContext } from "../record/registry-context.ts";
import type { FsckFindings } from "./fsck-finding.ts";
import type { SkillRows } from "./fsck-skill.ts";

/** The state of a skill according to its events. */
interface EventState {
  readonly published: Map<number, Digest>;
  /** The current revision after the last event. */
  pointer: number;
  isDeleted: boolean;
  /** The number of the last event about the skill. */
  seq: number;
}

const PAGE = 500;

/**
 * Checks the event chain, and that rows and events agree in both directions. Returns the number of events.
 */
export async function checkEvents(
  rows: ReadonlyMap<string, SkillRows>,
  since: number,
  findings: FsckFindings,
  { store }: RegistryContext,
): Promise<number> {
  const broken = await store.listBrokenEvents();
  for (const seq of broken)
    findings.add("EVENT_BROKEN", `event ${seq}`, "The event is missing or was changed.");
  // The feed cannot be read past a broken body, so the rows cannot be compared.
  if (broken.length > 0) return await store.lastEvent();
  const states = new Map<string, EventState>();
  let count = 0;
  for (let seq = 0; ; ) {
    const events = await store.eventsAfter(seq, PAGE);
    for (const { seq: number, event } of events) follow(states, number, event, since, rows, findings);
    count += events.length;
    const last = events.at(-1);
    if (last === undefined) break;
    seq = last.seq;
  }
  for (const [id, row] of rows) checkRow(id, row, states.get(id), since, findings);
  return count;
}

function follow(
  states: Map<string, EventState>,
  seq: number,
  event: SkillEvent,
  since: number,
  rows: ReadonlyMap<string, SkillRows>,
  findings: FsckFindings,
): void {
  if (event.type !== "skill.published" && event.type !== "skill.rolled_back" && !isRemoval(event)) return;
  const state = states.get(event.skill) ?? { published: new Map(), pointer: 0, isDeleted: false, seq: 0 };
  states.set(event.skill, state);
  state.seq = seq;
  state.isDeleted = event.type === "skill.deleted";
  if (isRemoval(event)) return;
  state.pointer = event.revision;
  if (event.type !== "skill.published") return;
  state.published.set(event.revision, event.hash);
  // The rows were read after this event was committed.
  if (seq <= since && rows.get(event.skill)?.trees.get(event.revision) !== event.hash)
    findings.add(
      "REVISION_MISSING",
      `${event.skill}@${event.revision}`,
      "The revision was published, but its row is missing.",
    );
}

function isRemoval(
  event: SkillEvent,
): event is Extract<SkillEvent, { type: "skill.deleted" | "skill.restored" }> {
  return event.type === "skill.deleted" || event.type === "skill.restored";
}

function checkRow(
  id: string,
  { skill, trees }: SkillRows,
  state: EventState | undefined,
  since: number,
  findings: FsckFindings,
): void {
  for (const [revision, hash] of trees)
    if (state?.published.get(revision) !== hash)
      findings.add(
        "EVENT_MISSING",
        `${id}@${revision}`,
        "No event records that this revision was published.",
      );
  // Events after the rows were read cannot contradict them.
  if (state === undefined || state.seq > since) return;
  if (state.pointer !== skill.revision)
    findings.add(
      "POINTER_WRONG",
      id,
      `The current revision is ${skill.revision}, but the events say ${state.pointer}.`,
    );
  if (state.isDeleted !== (skill.status === "deleted"))
    findings.add("EVENT_MISSING", id, `The status is ${skill.status}, but the events disagree.`);
}
