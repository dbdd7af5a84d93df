import type { Diagnostic, Digest, SkillEntry } from "@skillhold/protocol";
import type { ParsedSkill } from "@skillhold/skill";
import type { SourceKind } from "../source/source.ts";
import type { SkillDecision } from "./access.ts";
import type { ByteRange, ContentOptions, LibraryChange, SkillFile } from "./library.ts";
import type { AgentStanding } from "./viewer.ts";

/**
 * The storage of a library: every candidate with its rank, and access to its bytes. Does not know viewers. Folders,
 * memory, the registry and layers are shelves.
 */
export interface Shelf {
  /**
   * Updates the view with all changes before the call; cheap without changes. A library waits for it before every
   * result, so a failure here closes access. A watched shelf resolves at once.
   */
  refresh(): Promise<void>;
  /** The current state; each update replaces it. */
  view(): ShelfView;
  /** Reads the skill. Contract: text and hashes are from one moment. */
  open(entry: SkillEntry, options?: ContentOptions): Promise<OpenBundle>;
  /** Reads a part of one bundled file. Throws RESOURCE_OUTSIDE_SKILL or PATH_NOT_FOUND. */
  readFile(entry: SkillEntry, path: string, range: Required<ByteRange>): Promise<FilePart>;
  /** Copies the bundle to an empty folder and returns the tree hash of the written bytes. */
  copy(entry: SkillEntry, folder: string): Promise<Digest>;
  onChange(listener: (change: LibraryChange) => void): () => void;
  close(): Promise<void>;
}

export interface ShelfView {
  /** The current skill of each id, sorted by id. */
  readonly entries: readonly SkillEntry[];
  find(id: string): SkillEntry | undefined;
  /** The decisions about the current skill; undefined without decisions. */
  standing(id: string): SkillDecision | undefined;
  /** The record of an agent, by its key; undefined for an unknown agent, and absent in a shelf without agents. */
  agent?(key: string): AgentStanding | undefined;
  /** The view for a viewer without access to every skill; absent when no skill can replace another. */
  openTo?(accepts: Accepts): ShelfView;
  /** Skills and revisions for viewers who do not get the current one, by search name; absent without alternates. */
  readonly alternates?: ReadonlyMap<string, SkillEntry>;
  /** The search name of the skill; absent when it is the id. */
  searchName?(id: string): string;
  /** The source kind of the current skill, for ranking in layers. */
  kind(id: string): SourceKind | undefined;
  /** The errors of a SKILL.md whose last valid text is still in use; absent when texts are never kept. */
  broken?(id: string): string | undefined;
  /** The ids that may differ from an earlier view; absent when unknown. */
  since?(earlier: ShelfView): ReadonlySet<string> | undefined;
  readonly shadowed: readonly ShadowedSkill[];
  readonly invalid: readonly InvalidSkill[];
}

/** Whether a viewer may have a skill, enabled or not. */
export type Accepts = (entry: SkillEntry, standing: SkillDecision | undefined) => boolean;

/** A skill that is shadowed by another one with the same id. */
export interface ShadowedSkill {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  /** The source and path of the current skill. */
  readonly by: { readonly source: string; readonly path: string };
}

/** A skill folder that cannot be loaded. */
export interface InvalidSkill {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface OpenBundle {
  /** The entry of the read skill; newer than the index when the file changed. */
  readonly entry: SkillEntry;
  readonly skill: ParsedSkill;
  readonly skillHash: Digest;
  readonly treeHash: Digest;
  readonly files: readonly SkillFile[];
  readonly folder: string | undefined;
  readonly isLastGood: boolean;
}

export interface FilePart {
  /** The entry of the file's skill; newer than the index when it changed. */
  readonly entry: SkillEntry;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly digest: Digest;
  readonly treeHash: Digest;
}
