import { hashSkillFile } from "@skillhold/core/bundle";
import { asResource, type SkillFile } from "@skillhold/core/library";
import type { Digest, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill } from "@skillhold/skill";
import type { Revision } from "../record/registered-skill.ts";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";
import type { RunOutput } from "../record/run-output.ts";
import { findSkillFile } from "../release/skill-file.ts";
import { TreeReader } from "../release/tree-reader.ts";
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

/** The skill content and runs of one session. */
export interface Replay {
  readonly session: string;
  /** The agent and its session settings; undefined if the log lacks the beginning. */
  readonly opened: Extract<SkillEvent, { readonly type: "session.opened" }> | undefined;
  readonly closedAt: string | undefined;
  readonly steps: readonly ReplayStep[];
  /** The skills whose current content differs from the used content. */
  readonly drift: readonly Drift[];
}

export interface Drift {
  readonly skill: string;
  readonly used: Digest;
  /** The current content; undefined if the skill no longer exists. */
  readonly now: Digest | undefined;
}

export interface ReplayContext {
  readonly store: RegistryStore;
  readonly limits: Limits;
  /** Looks up the current content of a skill from any source; by default from the store. */
  readonly current?: (skill: string) => Promise<Digest | undefined>;
}

/** Reconstructs a session from the log with the original bytes, each verified by its recorded hash. */
export async function replaySession(session: string, context: ReplayContext): Promise<Replay> {
  const { store, limits } = context;
  const events = await store.eventsOfSession(session);
  if (events.length === 0)
    throw new SkillError("SESSION_NOT_FOUND", "The log has no session with this id.", {
      hint: "Run `skillhold audit tail --type session.opened --json` to list sessions.",
    });
  const content = new PastContent(store);
  const outputs = new Map((await store.listRunOutputs(session)).map((output) => [output.run, output]));
  const steps: ReplayStep[] = [];
  for (const stored of events) {
    const step = await replayEvent(stored, { events, outputs, content }, limits);
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

interface PastSession {
  readonly events: readonly StoredEvent[];
  /** By run. */
  readonly outputs: ReadonlyMap<string, RunOutput>;
  readonly content: PastContent;
}

async function replayEvent(
  { seq, event }: StoredEvent,
  { events, outputs, content }: PastSession,
  limits: Limits,
): Promise<ReplayStep | undefined> {
  switch (event.type) {
    case "skill.activated":
      return await replayActivation(seq, event, content, limits);
    case "skill.resource_read":
      return await replayRead(seq, event, content);
    case "run.requested":
      return { ...(await replayRun(seq, event, events, content)), output: textsOf(outputs.get(event.run)) };
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
  if (length === undefined) return unavailable("not-recorded", "The log does not record how much was read.");
  return available(file.bytes.subarray(start, start + length));
}

async function replayRun(
  seq: number,
  event: Extract<SkillEvent, { readonly type: "run.requested" }>,
  events: readonly StoredEvent[],
  content: PastContent,
): Promise<Omit<ReplayedRun, "output">> {
  const { skill, hash, run, target, args } = event;
  const own = events.flatMap((each) => ("run" in each.event && each.event.run === run ? [each.event] : []));
  const wasAllowed = own.some(({ type }) => type === "run.approved");
  const end = own.flatMap((each) => endOf(each) ?? [])[0];
  const script = await content.bytes(skill, hash, (files) => files.find(({ path }) => path === target));
  return { kind: "run", ...useOf(seq, event), run, target, args, wasAllowed, end, script };
}

function textsOf(output: RunOutput | undefined): ReplayedRun["output"] {
  if (output === undefined) return undefined;
  const { input, stdout, stderr, result } = output;
  return { input, stdout, stderr, result };
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

type ActivatedEvent = Extract<SkillEvent, { readonly type: "skill.activated" }>;

/** Rebuilds the text of an activation and compares its digest with the recorded one. */
async function replayText(
  event: ActivatedEvent,
  skillFile: Recovered,
  content: PastContent,
  limits: Limits,
): Promise<Recovered> {
  const { handover } = event;
  if (handover === undefined) return unavailable("not-recorded", "The log has no digest of the text.");
  if (!skillFile.isAvailable) return skillFile;
  const files = await content.files(event.skill, event.hash);
  if ("isAvailable" in files) return files;
  const text = await writeText(event, handover, { bytes: skillFile.bytes, files }, content, limits);
  const bytes = Buffer.from(text);
  if (hashSkillFile(bytes) === handover.digest) return available(bytes);
  return unavailable("not-reproducible", "The text format has changed since; the content is available.");
}

interface Bundle {
  /** The bytes of SKILL.md. */
  readonly bytes: Uint8Array;
  readonly files: readonly SkillFile[];
}

async function writeText(
  { skill: id, hash: treeHash, trust, source: label }: ActivatedEvent,
  { name, args, folder, hints, warnings, exampleTokens }: NonNullable<ActivatedEvent["handover"]>,
  { bytes, files }: Bundle,
  content: PastContent,
  limits: Limits,
): Promise<string> {
  const { body, frontmatter } = parseSkill(bytes, limits);
  const source = { entry: { id, name, trust, source: label }, body, frontmatter, treeHash, files, folder };
  const room = { ...limits, exampleTokens };
  // Each command that opens a log loads this module, and few replay.
  const { readSupplement, writeActivation } = await import("@skillhold/core/session");
  const supplement = await readSupplement(source, room, (path) => readWhole(path, source, content));
  const hasFileSystem = folder !== undefined;
  return writeActivation({ content: source, args, hasFileSystem, supplement, hints, warnings }).text;
}

async function readWhole(
  path: string,
  { entry, treeHash }: { readonly entry: { readonly id: string }; readonly treeHash: ActivatedEvent["hash"] },
  content: PastContent,
) {
  const find = (files: readonly SkillFile[]) => files.find((file) => file.path === path);
  const found = await content.bytes(entry.id, treeHash, find);
  const bytes = found.isAvailable ? found.bytes : new Uint8Array();
  return asResource(path, 0, { bytes, size: bytes.length, digest: hashSkillFile(bytes), treeHash });
}

/** Bundles by tree hash, whether or not they are current. */
class PastContent {
  readonly #store: RegistryStore;
  readonly #reader: TreeReader;

  constructor(store: RegistryStore) {
    this.#store = store;
    this.#reader = new TreeReader(store);
  }

  /** The files of a bundle, or the reason why they are unavailable. */
  async files(skill: string, hash: Digest): Promise<readonly SkillFile[] | Recovered> {
    const revisions = await this.#revisions(skill, hash);
    const isGivenUp = revisions.length > 0 && revisions.every(({ purgedAt }) => purgedAt !== undefined);
    // Purged bytes stay in the store until the next sweep but must not be read.
    if (isGivenUp) return unavailable("purged", `The revision was purged on ${revisions[0]?.purgedAt}.`);
    if (revisions.length > 0 || (await this.#store.findTree(hash)) !== undefined)
      return await orDamage(() => this.#reader.files(hash));
    return unavailable("not-stored", "The skill was in a folder and was never stored.");
  }

  /** The bytes of the file that `choose` selects. */
  async bytes(
    skill: string,
    hash: Digest,
    choose: (files: readonly SkillFile[]) => SkillFile | undefined,
  ): Promise<Recovered> {
    const files = await this.files(skill, hash);
    if ("isAvailable" in files) return files;
    const file = choose(files);
    if (file === undefined) return unavailable("not-recorded", "The bundle does not have this file.");
    const bytes = await orDamage(() => this.#reader.bytes(file));
    return "isAvailable" in bytes ? bytes : available(bytes);
  }

  async #revisions(skill: string, hash: Digest): Promise<readonly Revision[]> {
    const row = await this.#store.findSkill(skill);
    const revisions = row === undefined ? [] : await this.#store.listRevisions(row.uid);
    return revisions.filter(({ treeHash }) => treeHash === hash);
  }
}

/** Damage is a result, so that the rest of the session can be replayed. */
async function orDamage<T>(read: () => Promise<T>): Promise<T | Recovered> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
    return unavailable("damaged", error.message);
  }
}
