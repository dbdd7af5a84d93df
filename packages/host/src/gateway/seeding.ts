import type { LogEntry, StartupState } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import { type SeedReport, type SeedWatch, watchSeeds } from "@skillhold/registry/seed";
import { bundledSkills } from "../place/bundled.ts";

export interface SeedingOptions {
  /** The folder of the bundled skills; by default the one of this installation. */
  readonly folder?: string;
  readonly log: (entry: LogEntry) => void;
  /** Called once, after the first attempt. */
  readonly onReady: () => void;
  readonly signal: AbortSignal;
}

const PENDING = "The gateway is publishing the bundled skills.";
const INCOMPLETE = "Some bundled skills are not published. The log has the reason.";

/**
 * Publishes the bundled skills while the gateway already answers, and again whenever they are edited. The gateway is ready
 * after the first attempt, even a failed one: the other skills of the store do not depend on it.
 */
export class Seeding {
  readonly #options: SeedingOptions;
  #state: StartupState = { pending: PENDING };
  #watch: SeedWatch | undefined;

  constructor(options: SeedingOptions) {
    this.#options = options;
  }

  get state(): StartupState {
    return this.#state;
  }

  /** The gateway checks dependencies when it receives the publish events. */
  start({ hooks: _hooks, ...registry }: RegistryContext): void {
    const { folder, log, signal } = this.#options;
    const onProblem = (error: unknown) => {
      log({ level: "error", event: "seed.failed", error });
      this.#end(false);
    };
    const onSeed = (report: SeedReport) => {
      logReport(report, log);
      this.#end(report.skills.every(({ status }) => status !== "failed"));
    };
    try {
      this.#watch = watchSeeds(folder ?? bundledSkills(), { signal, onProblem, onSeed }, registry);
    } catch (error) {
      if (!(error instanceof SkillError)) throw error;
      onProblem(error);
    }
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  #end(isComplete: boolean): void {
    const isFirst = this.#state.pending !== undefined;
    this.#state = isComplete ? {} : { warnings: [INCOMPLETE] };
    if (isFirst) this.#options.onReady();
  }
}

function logReport({ skills }: SeedReport, log: SeedingOptions["log"]): void {
  for (const skill of skills) {
    const { status, path } = skill;
    if (status === "failed")
      log({ level: "warning", event: "seed.refused", message: skill.error.message, fields: { path } });
    else if (status !== "unchanged")
      log({
        level: "info",
        event: "seed.taken",
        fields: { skill: skill.id, revision: skill.revision, status },
      });
  }
}
