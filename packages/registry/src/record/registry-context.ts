import type { DependencyManifest, Scan } from "@skillhold/core/dependency";
import type { Clock, Ids } from "@skillhold/core/port";
import type { Diagnostic } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import type { RegistryStore } from "./registry-store.ts";
import type { StagedSkill } from "./staged-skill.ts";

/** What the verbs of the registry work with. */
export interface RegistryContext {
  readonly store: RegistryStore;
  readonly clock: Clock;
  /** Gives UUIDs. */
  readonly ids: Ids;
  readonly limits: Limits;
  /** Finds the dependencies of a skill that is being published. */
  readonly scan: Scan;
  readonly hooks?: PublishHooks;
}

/** What else looks at a skill before it is taken in. */
export interface PublishHooks {
  /** Findings about its content; one that is an error refuses it. */
  guard?(staged: StagedSkill): Promise<readonly Diagnostic[]>;
  /** What of its manifest is missing on this machine, as `pip:name`. */
  missing?(staged: StagedSkill, manifest: DependencyManifest): Promise<readonly string[]>;
}
