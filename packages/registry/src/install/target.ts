import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { StagedFile, StagedSkill } from "../record/staged-skill.ts";
import type { SkillOrigin } from "./source.ts";

/** A place that skills are installed into: the store, or a folder that agents read. */
export interface InstallTarget {
  /** Names the place, for records. */
  readonly name: string;
  /** The installed skills, ordered by id. */
  list(): Promise<readonly Installed[]>;
  /** The skill under this id, installed or not; undefined for a free id. */
  find(id: string): Promise<Occupied | undefined>;
  /** Installs a skill completely or not at all. Throws CONFLICT when the target changed since `find`. */
  apply(change: InstallChange): Promise<Applied>;
  /** Makes a skill that is already in place visible to agents; returns the places. */
  link(id: string): Promise<readonly string[]>;
  remove(id: string, options: { readonly isForced: boolean }): Promise<void>;
  setPinned(id: string, isPinned: boolean): Promise<void>;
}

/** A skill or folder that occupies an id. */
export interface Occupied {
  readonly id: string;
  /** The hash of the current content. */
  readonly treeHash: Digest;
  readonly installed: InstallRecord | undefined;
  /** The skill's folder; absent in the store. */
  readonly folder?: string;
  /** The files of the current content. */
  files(): Promise<readonly StagedFile[]>;
}

export interface Installed extends Occupied {
  readonly installed: InstallRecord;
}

/** The record of an installed skill. */
export interface InstallRecord
  extends Pick<SkillOrigin, "source" | "path" | "commit" | "subtree" | "publisher" | "release"> {
  /** The source as `readSource` reads it. */
  readonly spec: string;
  /** The tree hash that the source had. */
  readonly upstream: Digest;
  readonly signer: string | undefined;
  readonly isPinned: boolean;
}

export interface InstallChange {
  readonly staged: StagedSkill;
  readonly origin: SkillOrigin;
  readonly signer: string | undefined;
  readonly firstSeen: string;
  /** The tree hash of the source, which differs from the staged one after a merge. */
  readonly upstream: Digest;
  /** The state that the change was planned for. */
  readonly before: Occupied | undefined;
  /** The record already exists and stays unchanged. */
  readonly isRecorded?: boolean;
}

export interface Applied {
  readonly id: string;
  readonly status: "installed" | "updated" | "merged" | "unchanged";
  readonly treeHash: Digest;
  /** Of the store. */
  readonly revision?: number;
  /** Of a folder. */
  readonly folder?: string;
  readonly links?: readonly string[];
  readonly warnings: readonly string[];
}

export function statusOf(
  status: "published" | "unchanged",
  treeHash: Digest,
  upstream: Digest,
  before: Occupied | undefined,
): Applied["status"] {
  if (status === "unchanged") return "unchanged";
  if (before === undefined) return "installed";
  return treeHash === upstream ? "updated" : "merged";
}

export function changedDuringInstall(id: string): SkillError {
  return new SkillError(
    "CONFLICT",
    `${id} changed while its update was prepared. The skill was left as it is.`,
    {
      hint: "Run the command again.",
      details: { id },
    },
  );
}
