import type { SkillUse } from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import type { RegistryStore, StoredEvent } from "../record/registry-store.ts";

/** The usage of a skill or of one of its revisions. */
export interface UsageCount {
  readonly skill: string;
  /** Undefined for the whole skill, or for a skill outside the registry. */
  readonly revision: number | undefined;
  readonly activations: number;
  /** Files delivered in sessions and by a gateway. */
  readonly reads: number;
  readonly runs: number;
  readonly runFailures: number;
  readonly toolCalls: number;
  readonly toolFailures: number;
  readonly denials: number;
  readonly sessions: number;
  /** For runs and tool calls. */
  readonly durationMs: { readonly p50: number; readonly p95: number; readonly max: number } | undefined;
  readonly lastUsedAt: string | undefined;
}

export interface UsageDay {
  /** As `2026-11-16`, in UTC. */
  readonly day: string;
  readonly activations: number;
  readonly reads: number;
  readonly runs: number;
  readonly failures: number;
}

/** The uses of skills by id, as a session ranks them. */
export function usesOf(usage: Usage): ReadonlyMap<string, SkillUse> {
  return new Map(
    usage
      .list()
      .flatMap(({ skill, activations: count, lastUsedAt }) =>
        lastUsedAt === undefined ? [] : [[skill, { count, lastUsedAt }] as const],
      ),
  );
}

const RECENT_EVENTS = 20_000;
const RECENT_USES = 1000;

/** The uses in the latest part of a log, which bounds the time to read it. */
export async function recentUses(
  store: Pick<RegistryStore, "lastEvent" | "listEvents">,
): Promise<ReadonlyMap<string, SkillUse>> {
  const after = Math.max(0, (await store.lastEvent()) - RECENT_EVENTS);
  const types = ["skill.activated"];
  const usage = new Usage();
  const events = await store.listEvents({ after, order: "newest", limit: RECENT_USES, types });
  for (const event of events.toReversed()) usage.add(event);
  return usesOf(usage);
}

/** Usage counts aggregated from log events. */
export class Usage {
  readonly #skills = new Map<string, SkillUsage>();
  #upTo = 0;

  /** The number of the last event included. */
  get upTo(): number {
    return this.#upTo;
  }

  /** Contract: events arrive in order, each once. */
  add({ seq, event }: StoredEvent): void {
    this.#upTo = seq;
    // A denied request may name a skill that does not exist, so it creates no entry.
    if ("skill" in event) this.#of(event.skill, event.type !== "skill.denied").add(event);
  }

  /** Ordered by id, then by revision. */
  list(by: "skill" | "revision" = "skill"): readonly UsageCount[] {
    const used = [...this.#skills].filter(([, usage]) => usage.isUsed).sort(([a], [b]) => (a < b ? -1 : 1));
    return used.flatMap(([, usage]) => (by === "skill" ? [usage.total()] : usage.revisions()));
  }

  total(skill: string): UsageCount {
    return this.#of(skill, false).total();
  }

  revisions(skill: string): readonly UsageCount[] {
    return this.#of(skill, false).revisions();
  }

  /** The days with usage, oldest first. */
  days(skill: string): readonly UsageDay[] {
    return this.#of(skill, false).days();
  }

  #of(skill: string, keep = true): SkillUsage {
    const found = this.#skills.get(skill);
    if (found !== undefined) return found;
    const usage = new SkillUsage(skill);
    if (keep) this.#skills.set(skill, usage);
    return usage;
  }
}

type AboutSkill = Extract<SkillEvent, { readonly skill: string }>;

/** The effect of one event on the counts. */
interface Effect {
  readonly field: "activations" | "reads" | "runs" | "toolCalls" | "denials";
  readonly isFailure?: boolean;
  readonly durationMs?: number;
}

class SkillUsage {
  readonly #skill: string;
  readonly #all: Tally;
  readonly #revisions = new Map<number, Tally>();
  readonly #days = new Map<string, { activations: number; reads: number; runs: number; failures: number }>();
  /** Most events name content by hash only; release and activation events map it to a revision. */
  readonly #revisionOf = new Map<string, number>();

  constructor(skill: string) {
    this.#skill = skill;
    this.#all = new Tally();
  }

  get isUsed(): boolean {
    return this.#all.lastUsedAt !== undefined;
  }

  add(event: AboutSkill): void {
    const hash = "hash" in event ? event.hash : undefined;
    const named = "revision" in event ? event.revision : undefined;
    if (hash !== undefined && named !== undefined) this.#revisionOf.set(hash, named);
    const effect = effectOf(event);
    if (effect === undefined) return;
    const session = "session" in event ? event.session : undefined;
    this.#all.add(effect, event.at, session);
    this.#addDay(event.at.slice(0, 10), effect);
    const revision = named ?? (hash === undefined ? undefined : this.#revisionOf.get(hash));
    if (revision === undefined) return;
    const tally = this.#revisions.get(revision) ?? new Tally();
    this.#revisions.set(revision, tally);
    tally.add(effect, event.at, session);
  }

  total(): UsageCount {
    return this.#all.count(this.#skill, undefined);
  }

  revisions(): readonly UsageCount[] {
    const sorted = [...this.#revisions].sort(([a], [b]) => a - b);
    return sorted.map(([revision, tally]) => tally.count(this.#skill, revision));
  }

  days(): readonly UsageDay[] {
    const sorted = [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([day, counts]) => ({ day, ...counts }));
  }

  #addDay(day: string, { field, isFailure }: Effect): void {
    const counts = this.#days.get(day) ?? { activations: 0, reads: 0, runs: 0, failures: 0 };
    this.#days.set(day, counts);
    if (field === "activations") counts.activations += 1;
    if (field === "reads") counts.reads += 1;
    if (field === "runs" || field === "toolCalls") counts.runs += 1;
    if (isFailure === true || field === "denials") counts.failures += 1;
  }
}

function effectOf(event: AboutSkill): Effect | undefined {
  switch (event.type) {
    case "skill.activated":
      return { field: "activations" };
    case "skill.resource_read":
    case "skill.served":
      return { field: "reads" };
    case "skill.script_executed": {
      const isFailure = event.outcome !== "exited" || event.exitCode !== 0;
      return { field: "runs", isFailure, durationMs: event.durationMs };
    }
    case "skill.tool_called": {
      const isFailure = event.outcome !== "exited" || event.isError;
      return { field: "toolCalls", isFailure, durationMs: event.durationMs };
    }
    case "skill.denied":
      return { field: "denials" };
    default:
      return undefined;
  }
}

class Tally {
  readonly #counts = { activations: 0, reads: 0, runs: 0, toolCalls: 0, denials: 0 };
  readonly #failures = { runs: 0, toolCalls: 0 };
  readonly #sessions = new DistinctCount();
  readonly #durations = new DurationSample();
  lastUsedAt: string | undefined;

  add({ field, isFailure = false, durationMs }: Effect, at: string, session: string | undefined): void {
    this.#counts[field] += 1;
    if (isFailure && (field === "runs" || field === "toolCalls")) this.#failures[field] += 1;
    if (session !== undefined) this.#sessions.add(session);
    if (durationMs !== undefined) this.#durations.add(durationMs);
    this.lastUsedAt = at;
  }

  count(skill: string, revision: number | undefined): UsageCount {
    const { runs: runFailures, toolCalls: toolFailures } = this.#failures;
    return {
      skill,
      revision,
      ...this.#counts,
      runFailures,
      toolFailures,
      sessions: this.#sessions.size,
      durationMs: this.#durations.summary(),
      lastUsedAt: this.lastUsedAt,
    };
  }
}

const REMEMBERED = 10_000;

/**
 * Counts distinct names. A name that returns after many others is counted twice. A set, because `lru-cache` would reserve
 * the memory of all names for each skill and revision.
 */
class DistinctCount {
  readonly #recent = new Set<string>();
  size = 0;

  add(name: string): void {
    if (this.#recent.has(name)) return;
    this.size += 1;
    this.#recent.add(name);
    if (this.#recent.size <= REMEMBERED) return;
    const [oldest] = this.#recent;
    if (oldest !== undefined) this.#recent.delete(oldest);
  }
}

/** Each bucket ends at twice the previous one; the last is unbounded. */
const BUCKETS = 32;

/** A histogram of durations: exact in count and maximum, and within a factor of two otherwise. */
export class DurationSample {
  readonly #counts = new Uint32Array(BUCKETS);
  #size = 0;
  #max = 0;

  add(ms: number): void {
    const bucket = Math.min(BUCKETS - 1, Math.ceil(Math.log2(Math.max(1, ms))));
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#size += 1;
    this.#max = Math.max(this.#max, ms);
  }

  /** Undefined without samples. */
  summary(): { readonly p50: number; readonly p95: number; readonly max: number } | undefined {
    if (this.#size === 0) return undefined;
    return { p50: this.#quantile(0.5), p95: this.#quantile(0.95), max: this.#max };
  }

  /** The end of the bucket, capped at the maximum. */
  #quantile(part: number): number {
    let left = Math.ceil(this.#size * part);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, 2 ** bucket);
    }
    return this.#max;
  }
}
