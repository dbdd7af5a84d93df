import type { DependencyManifest, Scan } from "@skillhold/core/dependency";
import type { Clock, Ids } from "@skillhold/core/port";
import type { Diagnostic } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import type { GuardReport } from "@skillhold/skill/guard";
import type { Grantee } from "./grant.ts";
import type { RegistryStore } from "./registry-store.ts";
import type { StagedSkill } from "./staged-skill.ts";

/** The dependencies of every registry operation. */
export interface RegistryContext {
  readonly store: RegistryStore;
  readonly clock: Clock;
  /** Generates UUIDs. */
  readonly ids: Ids;
  readonly limits: Limits;
  /** Scans a skill for dependencies before it is published. */
  readonly scan: Scan;
  readonly hooks?: PublishHooks;
  /** Who may make a skill public, which puts it into every agent's prompt; by default administrators. */
  readonly publicBy?: "admin" | "publisher";
  /**
   * `agent`: a promoted skill is at once available to its agent; `user`: also to its user and the user's other agents;
   * `review`: only after a review. Default: `agent`.
   */
  readonly promotion?: "agent" | "user" | "review";
  /** Writes the drafts of promoted skills; without it, they come from a template. */
  readonly author?: SkillAuthor;
  /** Users and agents that must approve every proposal, except their own ones. */
  readonly reviewers?: readonly Grantee[];
}

/** Extra checks that run before a skill is published. */
export interface PublishHooks {
  /** Diagnostics about the content; one of severity error rejects the skill. */
  guard?(staged: StagedSkill): Promise<readonly Diagnostic[]>;
  /** The content guard. A report that blocks rejects the skill, and so does a failure. */
  inspect?(staged: StagedSkill, signal?: AbortSignal): Promise<GuardReport>;
  /** The dependencies of the manifest that are missing on this machine, as `pip:name`. */
  missing?(staged: StagedSkill, manifest: DependencyManifest): Promise<readonly string[]>;
}

/**
 * Writes the SKILL.md of a promoted workflow. Undefined if it writes none. Contract: never throws for a failure of a model or
 * its program.
 */
export type SkillAuthor = (request: AuthoringRequest) => Promise<string | undefined>;

/** Contains no known secret. */
export interface AuthoringRequest {
  /** The id of the new skill. */
  readonly id: string;
  /** The promotion packet as JSON. */
  readonly packet: string;
  readonly sessions: readonly {
    readonly task?: string;
    readonly steps: readonly { readonly skill: string; readonly target?: string; readonly args?: string }[];
  }[];
}
