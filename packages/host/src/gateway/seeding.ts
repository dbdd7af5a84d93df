import type { LogEntry } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import { type SeedReport, type SeedWatch, watchSeeds } from "@skillhold/registry/seed";
import { bundledSkills } from "../place/bundled.ts";

export interface SeedingOptions {
  readonly log: (entry: LogEntry) => void;
  readonly signal: AbortSignal;
}

/**
 * Publishes the bundled skills while the gateway already answers, and again whenever they are edited. The gateway checks
 * their dependencies when it receives the publish events.
 */
export function startSeeding(
  { log, signal }: SeedingOptions,
  { hooks: _hooks, ...registry }: RegistryContext,
): SeedWatch | undefined {
  try {
    const onProblem = (error: unknown) => log({ level: "error", event: "seed.failed", error });
    return watchSeeds(
      bundledSkills(),
      { signal, onProblem, onSeed: (report) => logReport(report, log) },
      registry,
    );
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    log({ level: "warning", event: "seed.failed", error });
    return undefined;
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
