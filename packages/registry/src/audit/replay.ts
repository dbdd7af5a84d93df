import type { Digest, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";
import { findSkillFile } from "../release/skill-file.ts";
import { PastContent } from "./replay-content.ts";
import {
  available,
  type Recovered,
  type ReplayedActivation,
  type ReplayedEnd,
  type ReplayedRead,
  type ReplayedRun,
  type ReplayStep,
  unavailable,
} from "./replay-step.ts";
import { type ActivatedEvent, replayText } from "./replay-text.ts";

/** What an agent saw of skills in a session, and what was run for it. */
export interface Replay {
  readonly session: string;
  /** Who it was; undefined when the log does not have its beginning. */
  readonly opened: Extract<SkillEvent, { readonly type: "session.opened" }> | undefined;
  readonly closedAt: string | undefined;
  readonly steps: readonly ReplayStep[];
  /** What is another content today than the one that was used. */
  readonly drift: readonly Drift[];
}

export interface Drift {
  readonly skill: string;
  readonly used: Digest;
  /** What counts today; undefined when there is no such skill. */
  readonly now: Digest | undefined;
}

export interface ReplayContext {
  readonly store: RegistryStore;
  readonly limits: Limits;
  /** The content that counts today, in whichever place the skill is; without it, the store's. */
  readonly current?: (skill: string) => Promise<Digest | undefined>;
}

/** Tells a session again from the log, with the bytes of then: every one is proven by the hash that was recorded. */
export async function replaySession(session: string, context: ReplayContext): Promise<Replay> {
  const { store, limits } = context;
  const events = await store.eventsOfSession(session);
  if (events.length === 0)
    throw new SkillError("SESSION_NOT_FOUND", "The log has no session of that id.", {
      hint: "`skillhold audit tail --type session.opened` lists sessions.",
    });
  const content = new PastContent(store);
  const steps: ReplayStep[] = [];
  for (const stored of events) {
    const step = await replayEvent(stored, events, content, limits);
    if (step !== undefined) steps.push(step);
  }
  const ended = events.findLast(({ event }) => event.type === "session.closed");
  const drift = await findDrift(steps, context);
  return { session, opened: openingOf(events), closedAt: ended?.event.at, steps, drift };
}

function openingOf(events: readonly StoredEvent[]): Replay["opened"] {
  for (const { event } of events) if (event.type === "session.opened") return event;
  return undefined;
}

async function replayEvent(
  { seq, event }: StoredEvent,
  events: readonly StoredEvent[],
  content: PastContent,
  limits: Limits,
): Promise<ReplayStep | undefined> {
  switch (event.type) {
    case "skill.activated":
      return await replayActivation(seq, event, content, limits);
    case "skill.resource_read":
      return await replayRead(seq, event, content);
    case "run.requested":
      return await replayRun(seq, event, events, content);
    default:
      return undefined;
  }
}

async function replayActivation(
  seq: number,
  event: ActivatedEvent,
  content: PastContent,
  limits: Limits,
): Promise<ReplayedActivation> {
  const skillFile = await content.bytes(event.skill, event.hash, findSkillFile);
  const text = await replayText(event, skillFile, content, limits);
  const { revision, source, handover } = event;
  const rest = { revision, source, args: handover?.args, skillFile, text };
  return { kind: "activation", ...useOf(seq, event), ...rest };
}

async function replayRead(
  seq: number,
  event: Extract<SkillEvent, { readonly type: "skill.resource_read" }>,
  content: PastContent,
): Promise<ReplayedRead> {
  const { skill, hash, path, digest, start, length } = event;
  const file = await content.bytes(skill, hash, (files) =>
    files.find((each) => each.path === path && each.digest === digest),
  );
  const part = partOf(file, start, length);
  return { kind: "read", ...useOf(seq, event), path, start, content: part };
}

function partOf(file: Recovered, start: number, length: number | undefined): Recovered {
  if (!file.isAvailable) return file;
  if (length === undefined) return unavailable("not-recorded", "The log does not say how much was read.");
  return available(file.bytes.subarray(start, start + length));
}

async function replayRun(
  seq: number,
  event: Extract<SkillEvent, { readonly type: "run.requested" }>,
  events: readonly StoredEvent[],
  content: PastContent,
): Promise<ReplayedRun> {
  const { skill, hash, run, target, args } = event;
  const own = events.flatMap((each) => ("run" in each.event && each.event.run === run ? [each.event] : []));
  const wasAllowed = own.some(({ type }) => type === "run.approved");
  const end = own.flatMap((each) => endOf(each) ?? [])[0];
  const script = await content.bytes(skill, hash, (files) => files.find(({ path }) => path === target));
  return { kind: "run", ...useOf(seq, event), run, target, args, wasAllowed, end, script };
}

function endOf(event: SkillEvent): ReplayedEnd | undefined {
  if (event.type === "skill.script_executed")
    return { at: event.at, outcome: event.outcome, exitCode: event.exitCode };
  if (event.type === "skill.tool_called")
    return { at: event.at, outcome: event.outcome, exitCode: undefined };
  return undefined;
}

function useOf(
  seq: number,
  { at, task, skill, hash }: Pick<ActivatedEvent, "at" | "task" | "skill" | "hash">,
) {
  return { seq, at, task, skill, hash };
}

async function findDrift(steps: readonly ReplayStep[], context: ReplayContext): Promise<readonly Drift[]> {
  const { store, current = async (skill) => (await store.findSkill(skill))?.treeHash } = context;
  const used = new Map(steps.map(({ skill, hash }) => [`${skill} ${hash}`, { skill, used: hash }]));
  const drift: Drift[] = [];
  for (const each of used.values()) {
    const now = await current(each.skill);
    if (now !== each.used) drift.push({ ...each, now });
  }
  return drift;
}
