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
import type { Omission } from "../bundle/index.ts";

export interface PublishOptions {
  readonly by: Actor;
  /** The id to publish under, in place of what SKILL.md says; only for a single skill. */
  readonly id?: string;
  /** Says what would happen and changes nothing. */
  readonly dryRun?: boolean;
  /** Missing dependencies archive what is uploaded, and are a warning for what is published. */
  readonly entry?: "publish" | "upload";
  /** What an import was trusted with where it was exported; see `trustOf`. */
  readonly exportedTrust?: Trust | undefined;
  readonly provenance?: Partial<Omit<Provenance, "by" | "at">>;
  readonly signal?: AbortSignal;
  /** Asked about an id that is taken; without it, whoever manages the skill may release over it. */
  readonly mayReplace?: (id: string) => Promise<boolean>;
}

/** What became of one skill. */
export type Publication = Published | PublishFailure;

export interface Published {
  readonly id: string;
  readonly uid: string | undefined;
  /** The revision that counts now, or would. */
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
  readonly state: SkillStatus;
  readonly bytes: number;
  readonly files: number;
  readonly omitted: readonly Omission[];
  readonly diagnostics: readonly Diagnostic[];
  /** In plain words: the same version with other content, dependencies that are missing. */
  readonly warnings: readonly string[];
  readonly missing: readonly string[];
  /** Of a dry run: what would change of the revision that counts. */
  readonly changes?: readonly PathChange[];
}

export interface PathChange {
  readonly path: string;
  /** `mode`: the same bytes, and another exec bit. */
  readonly change: "added" | "removed" | "changed" | "mode";
}

export interface PublishFailure {
  /** The id, where it got that far. */
  readonly id: string | undefined;
  /** The folder in the archive. */
  readonly path: string;
  readonly status: "failed";
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
  readonly diagnostics: readonly Diagnostic[];
}

/** Whether a failure is not of one skill: the others would fail in the same way, or nobody waits for them any more. */
export function isOfAll({ code }: SkillError): boolean {
  return code === "STORE_FAILED" || code === "INTERRUPTED";
}
