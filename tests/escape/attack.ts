import type { EnforcedLimits } from "@skillhold/core/run";
import type { Collected, RunLimits } from "@skillhold/core/test/run/sandbox";
import type { Supervised } from "@skillhold/sandbox/test/backend/supervise";
import type { Scene, Script } from "./scene.ts";

/** Something that a hostile script does, and how its harm shows from outside. */
export interface Attack extends Script {
  /** Short and stable. */
  readonly name: string;
  /** Completes "a script cannot …". */
  readonly title: string;
  /** Tighter than the defaults, where the attack is on a limit. */
  readonly limits?: Partial<RunLimits>;
  /** The harm that is seen, in words; undefined when there is none. */
  readonly harm: (evidence: Evidence) => string | undefined | Promise<string | undefined>;
  /** What becomes of it without a sandbox. */
  readonly bare: Bare;
}

/**
 * Without a sandbox an attack must be seen to do harm, or it proves nothing: always, or when root runs it. The others
 * would damage the machine, or depend on what its kernel was built with.
 */
export type Bare = "harms" | "harms-as-root" | { readonly notRun: string };

/** All that is known of a run after its end. */
export interface Evidence {
  readonly scene: Scene;
  readonly limits: RunLimits;
  readonly enforced: EnforcedLimits;
  /** What was handed on, as text. */
  readonly output: string;
  readonly exit: Omit<Supervised, "stdout" | "stderr">;
  readonly collected: Collected;
  /** The host's folder that the run's files were collected to. */
  readonly folder: string;
  /** Processes of the run that outlived it. */
  readonly survivors: readonly number[];
}

/** The script's own word, for what leaves no trace outside: it is our script. */
export const reached = ({ output }: Evidence): string | undefined => output.match(/^REACHED.*$/m)?.[0];

export const knowsCanary = ({ output, scene }: Evidence): string | undefined =>
  output.includes(scene.token) ? "the canary was read" : undefined;

export const wasHeard = ({ scene }: Evidence): string | undefined =>
  scene.heard() ? "a server of the host was reached" : undefined;

export const outlives = ({ survivors }: Evidence): string | undefined =>
  survivors.length > 0 ? `${survivors.length} processes live on` : undefined;
