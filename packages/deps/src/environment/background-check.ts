import { setImmediate as nextTurn } from "node:timers/promises";
import { type DependencyState, dependencyState, type EffectOptions } from "@skillhold/core/dependency";
import {
  CHECK_BATCH,
  type CheckPorts,
  type CheckRequest,
  type CheckResult,
  checkDependencies,
} from "./checker.ts";

export interface BackgroundItem {
  readonly id: string;
  readonly effect: EffectOptions;
  /** Scans the skill. Called when the skill reaches the front of the queue. */
  readonly prepare: () => Promise<Omit<CheckRequest, "id">>;
}

export type CheckEvent =
  | { readonly type: "skill.deps.checking"; readonly skill: string }
  | {
      readonly type: "skill.deps.checked";
      readonly skill: string;
      /** True when no dependency is known to be missing. */
      readonly ok: boolean;
      readonly missing: readonly string[];
      /** Absent when the check failed. */
      readonly state?: DependencyState;
      readonly error?: string;
    }
  | { readonly type: "skill.deps.complete"; readonly skills: number };

export interface BackgroundPorts extends CheckPorts {
  readonly onEvent: (event: CheckEvent) => void;
  /** Receives errors that `onEvent` throws. */
  readonly onProblem: (problem: unknown) => void;
}

/**
 * Checks skills in the background, one batch after another, and never in the turn that adds them. A skill
 * that is added again while it waits is checked once, with its latest item.
 */
export class BackgroundCheck {
  readonly #ports: BackgroundPorts;
  readonly #waiting = new Map<string, BackgroundItem>();
  #running: Promise<void> | undefined;

  constructor(ports: BackgroundPorts) {
    this.#ports = ports;
  }

  add(items: readonly BackgroundItem[]): void {
    for (const item of items) {
      this.#waiting.delete(item.id);
      this.#waiting.set(item.id, item);
    }
    if (this.#waiting.size > 0) this.#running ??= this.#work();
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    let skills = 0;
    try {
      for (await nextTurn(); this.#waiting.size > 0 && !this.#isAborted(); await nextTurn()) {
        skills += await this.#checkBatch();
      }
      if (!this.#isAborted()) this.#ports.onEvent({ type: "skill.deps.complete", skills });
    } catch (error) {
      if (!this.#isAborted()) this.#ports.onProblem(error);
    } finally {
      this.#running = undefined;
      if (this.#isAborted()) this.#waiting.clear();
      else this.add([]);
    }
  }

  #isAborted(): boolean {
    return this.#ports.signal?.aborted === true;
  }

  async #checkBatch(): Promise<number> {
    const batch = [...this.#waiting.values().take(CHECK_BATCH)];
    for (const { id } of batch) {
      this.#ports.signal?.throwIfAborted();
      this.#waiting.delete(id);
      this.#ports.onEvent({ type: "skill.deps.checking", skill: id });
    }
    // Together, so that a store reads the rows of a batch in one query.
    const prepared = await Promise.all(batch.map((item) => this.#prepare(item)));
    const requests = prepared.filter((request) => request !== undefined);
    const results = await this.#check(requests);
    for (const { id, checks } of results) {
      this.#ports.signal?.throwIfAborted();
      const effect = batch.find((item) => item.id === id)?.effect ?? { path: "folder" };
      const state = dependencyState(checks, effect);
      const ok = state.state !== "missing";
      this.#ports.onEvent({ type: "skill.deps.checked", skill: id, ok, missing: state.missing, state });
    }
    return batch.length;
  }

  async #check(requests: readonly CheckRequest[]): Promise<readonly CheckResult[]> {
    try {
      return await checkDependencies(requests, this.#ports);
    } catch (problem) {
      this.#ports.signal?.throwIfAborted();
      for (const { id } of requests) this.#fail(id, problem);
      return [];
    }
  }

  async #prepare({ id, prepare }: BackgroundItem): Promise<CheckRequest | undefined> {
    try {
      return { ...(await prepare()), id };
    } catch (problem) {
      this.#ports.signal?.throwIfAborted();
      this.#fail(id, problem);
      return undefined;
    }
  }

  #fail(skill: string, problem: unknown): void {
    const error = problem instanceof Error ? problem.message : String(problem);
    this.#ports.onEvent({ type: "skill.deps.checked", skill, ok: true, missing: [], error });
  }
}
