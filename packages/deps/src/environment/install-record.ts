import type { Scope } from "./environment-build.ts";
import type { ItemResult } from "./install-group.ts";
import type { InstallSpec } from "./spec.ts";

/** What came of an installation that was let. */
export interface InstallOutcome {
  readonly scope: Scope;
  readonly results: readonly ItemResult[];
  /** Where the packages lie; undefined when none was installed. */
  readonly environment?: string;
}

export type RecordInstall = (outcome: InstallOutcome) => Promise<void>;

/**
 * Asks whether these may be installed, of the policy and of people; throws when they may not. What it gives back, if
 * anything, is told what came of it.
 */
export type Clear = (specs: readonly InstallSpec[]) => Promise<RecordInstall | undefined>;

/**
 * Installs, and then records what came of it, also of an installation that throws. Inside another one it leaves the
 * record to that one, so that there is one for each leave.
 */
export async function withRecord<T extends Omit<InstallOutcome, "scope">>(
  scope: Scope,
  clear: Clear,
  install: (clear: Clear) => Promise<T>,
): Promise<T> {
  let end: Cleared | undefined;
  const clearOnce: Clear = async (specs) => {
    end = { specs, record: await clear(specs) };
    return undefined;
  };
  const recordEnd = async (outcome: Omit<InstallOutcome, "scope">) =>
    await end?.record?.({ ...outcome, scope });
  const report = await install(clearOnce).catch(async (error: unknown) => {
    await recordEnd({ results: brokenOff(end?.specs ?? [], error) });
    throw error;
  });
  await recordEnd(report);
  return report;
}

interface Cleared {
  readonly specs: readonly InstallSpec[];
  readonly record: RecordInstall | undefined;
}

function brokenOff(specs: readonly InstallSpec[], error: unknown): readonly ItemResult[] {
  const reason = error instanceof Error ? error.message : String(error);
  return specs.map(({ text }) => ({
    spec: text,
    status: "failed",
    message: `${text}: the installation was broken off: ${reason}`,
    durationMs: 0,
  }));
}
