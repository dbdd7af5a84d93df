import type { Digest } from "@skillhold/protocol";
import type { StagedFile, StagedSkill } from "../record/staged-skill.ts";
import type { SkillOrigin } from "./source.ts";

/** A place that skills are installed into: the store, or a folder that agents read. */
export interface InstallTarget {
  /** Names the place, for records. */
  readonly name: string;
  /** What is there that was installed, ordered by id. */
  list(): Promise<readonly Installed[]>;
  /** What is under this id, installed or not; undefined for nothing. */
  find(id: string): Promise<Occupied | undefined>;
  /** Puts a skill in place, whole or not at all. Throws CONFLICT when the place is not as it was found. */
  apply(change: InstallChange): Promise<Applied>;
  /** Makes agents see a skill that is in place already; returns where. */
  link(id: string): Promise<readonly string[]>;
  remove(id: string, options: { readonly isForced: boolean }): Promise<void>;
  setPinned(id: string, isPinned: boolean): Promise<void>;
}

/** Something that lies under an id. */
export interface Occupied {
  readonly id: string;
  /** What there is now. */
  readonly treeHash: Digest;
  readonly installed: InstallRecord | undefined;
  /** The bytes of what there is now. */
  files(): Promise<readonly StagedFile[]>;
}

export interface Installed extends Occupied {
  readonly installed: InstallRecord;
}

/** What was recorded when a skill was installed. */
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
  /** What the change was planned for. */
  readonly before: Occupied | undefined;
  /** The record of it is there already, and stays as it is. */
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
