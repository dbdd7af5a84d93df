import type {
  Actor,
  Diagnostic,
  Digest,
  Provenance,
  SkillStatus,
  Trust,
  Visibility,
} from "@skillhold/protocol";
import type { SkillError } from "@skillhold/protocol/error";
import type { GuardPlace, GuardVerdict } from "@skillhold/skill/guard";
import type { Omission } from "../bundle/index.ts";

export interface PublishOptions {
  readonly by: Actor;
  /** The author of a skill that `by` releases from a proposal: owns a new skill, and its agent may use it. */
  readonly author?: Actor;
  /** Overrides the id in SKILL.md; only for a single skill. */
  readonly id?: string;
  /** Report the result without publishing. */
  readonly dryRun?: boolean;
  /** Missing dependencies archive an upload; for `publish` they are a warning. */
  readonly entry?: "publish" | "upload";
  /** The most trust of an import or an applied proposal; see `trustOf`. */
  readonly exportedTrust?: Trust | undefined;
  readonly provenance?: Partial<Omit<Provenance, "by" | "at">>;
  readonly signal?: AbortSignal;
  /** Decides whether an existing id may be replaced. Without it, managers of the skill may. */
  readonly mayReplace?: (id: string) => Promise<boolean>;
}

/** The result for one skill. */
export type Publication = Published | PublishFailure;

export interface Published {
  readonly id: string;
  /** The folder of the skill, as the caller named it or in its archive. */
  readonly path?: string | undefined;
  readonly uid: string | undefined;
  /** The current revision; for a dry run, the one that would be current. */
  readonly revision: number;
  readonly status: "published" | "unchanged";
  /** True for the first revision of a skill. */
  readonly isNew: boolean;
  readonly isDryRun: boolean;
  readonly version: string | undefined;
  readonly treeHash: Digest;
  readonly skillHash: Digest;
  readonly trust: Trust;
  readonly visibility: Visibility;
  /** The agent or user that the release grants a new skill to; absent without a grant. */
  readonly granted?: readonly { readonly kind: "agent" | "user"; readonly key: string }[] | undefined;
  readonly state: SkillStatus;
  readonly bytes: number;
  readonly files: number;
  readonly omitted: readonly Omission[];
  readonly diagnostics: readonly Diagnostic[];
  /** For example the same version with other content, or missing dependencies. */
  readonly warnings: readonly string[];
  readonly missing: readonly string[];
  /** For a dry run: the changes against the current revision. */
  readonly changes?: readonly PathChange[];
  /** The guard's verdict, and what the skill can do that its current revision cannot. */
  readonly guard?: GuardSummary | undefined;
}

export interface GuardSummary {
  readonly verdict: GuardVerdict;
  readonly widened: readonly {
    readonly capability: string;
    readonly value?: string | undefined;
    readonly seen: readonly GuardPlace[];
  }[];
}

export interface PathChange {
  readonly path: string;
  /** `mode`: same bytes, different execute bit. */
  readonly change: "added" | "removed" | "changed" | "mode";
}

export interface PublishFailure {
  /** Undefined when the failure came before the id was known. */
  readonly id: string | undefined;
  /** The folder in the archive. */
  readonly path: string;
  readonly status: "failed";
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a failure ends the whole batch: the other skills would fail too, or the caller is gone. */
export function endsBatch({ code }: SkillError): boolean {
  return code === "STORE_FAILED" || code === "INTERRUPTED";
}
