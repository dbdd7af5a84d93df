import { runtimeOf } from "@skillhold/core/run";
import type { SkillEvent } from "@skillhold/protocol";
import type { StoredEvent } from "@skillhold/registry/record";

/** What is counted of the log, with what each number is told apart by beside its skill. */
export const eventCounters = {
  skillhold_skill_activations_total: {
    help: "Times instructions were handed over, or refused.",
    labels: ["source", "outcome"],
  },
  skillhold_skill_resource_reads_total: { help: "Files that were handed over.", labels: [] },
  skillhold_script_runs_total: { help: "Scripts that were run.", labels: ["runtime", "outcome"] },
  skillhold_tool_calls_total: { help: "Tools of skills that were called.", labels: ["outcome"] },
  skillhold_skill_denials_total: { help: "Uses that were refused.", labels: ["act"] },
} as const;

export type CounterName = keyof typeof eventCounters;

export interface EventCount {
  readonly name: CounterName;
  /** Empty for what is the name of nothing. */
  readonly skill: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

type Counted = Omit<EventCount, "count">;
type Ended = Extract<SkillEvent, { readonly type: "skill.script_executed" | "skill.tool_called" }>;

/** Counts what happens to skills, event by event: the same on every gateway of a registry. */
export class EventCounts {
  readonly #counts = new Map<string, Counted & { count: number }>();
  readonly #skills = new Set<string>();

  /** Contract: each event comes once. */
  add({ event }: StoredEvent): void {
    if ("skill" in event && event.type !== "skill.denied") this.#skills.add(event.skill);
    for (const counted of this.#countsOf(event)) {
      const key = JSON.stringify([counted.name, counted.skill, counted.labels]);
      const known = this.#counts.get(key) ?? { ...counted, count: 0 };
      known.count += 1;
      this.#counts.set(key, known);
    }
  }

  list(): readonly EventCount[] {
    return [...this.#counts.values()];
  }

  #countsOf(event: SkillEvent): readonly Counted[] {
    switch (event.type) {
      case "skill.activated": {
        const labels = { source: event.source, outcome: "ok" };
        return [{ name: "skillhold_skill_activations_total", skill: event.skill, labels }];
      }
      case "skill.resource_read":
      case "skill.served":
        return [{ name: "skillhold_skill_resource_reads_total", skill: event.skill, labels: {} }];
      case "skill.script_executed": {
        const labels = { runtime: runtimeOf(event.target) ?? "other", outcome: outcomeOf(event) };
        return [{ name: "skillhold_script_runs_total", skill: event.skill, labels }];
      }
      case "skill.tool_called": {
        const labels = { outcome: outcomeOf(event) };
        return [{ name: "skillhold_tool_calls_total", skill: event.skill, labels }];
      }
      case "skill.denied":
        return this.#countsOfDenial(event);
      default:
        return [];
    }
  }

  /** What was refused may be the name of nothing at all, and is not kept for that. */
  #countsOfDenial({ skill: asked, act }: Extract<SkillEvent, { type: "skill.denied" }>): readonly Counted[] {
    const skill = this.#skills.has(asked) ? asked : "";
    const denial = { name: "skillhold_skill_denials_total", skill, labels: { act } } as const;
    if (act !== "activate") return [denial];
    const labels = { source: "none", outcome: "denied" };
    return [denial, { name: "skillhold_skill_activations_total", skill, labels }];
  }
}

/** How a run ended, in a word that can be counted: `ok`, `failed` by itself, or what ended it. */
export function outcomeOf(event: Ended): string {
  if (event.outcome !== "exited") return event.outcome;
  const isFailed = event.type === "skill.script_executed" ? event.exitCode !== 0 : event.isError;
  return isFailed ? "failed" : "ok";
}
