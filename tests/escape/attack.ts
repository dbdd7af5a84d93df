import type { EnforcedLimits, Network } from "@skillhold/core/run";
import type { Collected, RunLimits } from "@skillhold/core/test/run/sandbox";
import type { Supervised } from "@skillhold/sandbox/test/backend/supervise";
import type { Scene, Script } from "./scene.ts";

/** An action of a hostile script, and how its harm is detected from outside. */
export interface Attack extends Script {
  /** Short and stable. */
  readonly name: string;
  /** Completes "a script cannot …". */
  readonly title: string;
  /** The network of the run; none when absent. */
  readonly network?: Network;
  /** Tighter than the defaults, for attacks on a limit. */
  readonly limits?: Partial<RunLimits>;
  /** Describes the observed harm; undefined without harm. */
  readonly harm: (evidence: Evidence) => string | undefined | Promise<string | undefined>;
  /** The expected result without a sandbox. */
  readonly bare: Bare;
}

/**
 * Without a sandbox an attack must do harm, or it is no proof: always, or when root runs it. The others
 * would damage the machine or depend on its kernel.
 */
export type Bare = "harms" | "harms-as-root" | { readonly notRun: string };

/** All observations after a run. */
export interface Evidence {
  readonly scene: Scene;
  readonly limits: RunLimits;
  readonly enforced: EnforcedLimits;
  /** The output as text. */
  readonly output: string;
  readonly exit: Omit<Supervised, "stdout" | "stderr">;
  readonly collected: Collected;
  /** The host folder with the collected files. */
  readonly folder: string;
  /** Processes of the run that outlived it. */
  readonly survivors: readonly number[];
}

/** The script's own report, for attacks that leave no trace outside. */
export const reached = ({ output }: Evidence): string | undefined => output.match(/^REACHED.*$/m)?.[0];

export const knowsCanary = ({ output, scene }: Evidence): string | undefined =>
  output.includes(scene.token) ? "the canary was read" : undefined;

export const wasHeard = ({ scene }: Evidence): string | undefined =>
  scene.heard() ? "a server of the host was reached" : undefined;

export const outlives = ({ survivors }: Evidence): string | undefined =>
  survivors.length > 0 ? `${survivors.length} processes survived` : undefined;
