import type { Diagnostic, Digest, SkillEntry } from "@skillhold/protocol";
import type { ParsedSkill } from "@skillhold/skill";
import type { SourceKind } from "../source/source.ts";
import type { Standing } from "./access.ts";
import type { ByteRange, LibraryChange, SkillFile } from "./library.ts";
import type { AgentStanding } from "./viewer.ts";

/**
 * Where a library's skills stand, before anyone looks: every candidate with its rank, and the way to its bytes. It
 * knows nothing of viewers. Folders, memory, the registry and layers of these are kinds of shelf under one library.
 */
export interface Shelf {
  /**
   * Brings the view up to date with what was changed before the call; cheap when nothing was. A library waits for it
   * before every answer, so that what it fails with closes the gate. Where a watch keeps the view, there is nothing to do.
   */
  refresh(): Promise<void>;
  /** The state as of now; a new one replaces it whole. */
  view(): ShelfView;
  /** Reads the skill and makes sure that text and hashes are of one moment. */
  open(entry: SkillEntry): Promise<OpenBundle>;
  /** Reads a part of one bundled file. Throws RESOURCE_OUTSIDE_SKILL or PATH_NOT_FOUND. */
  readFile(entry: SkillEntry, path: string, range: Required<ByteRange>): Promise<FilePart>;
  /** Writes the bundle to an empty folder and gives the tree hash of what was written. */
  copy(entry: SkillEntry, folder: string): Promise<Digest>;
  onChange(listener: (change: LibraryChange) => void): () => void;
  close(): Promise<void>;
}

export interface ShelfView {
  /** The skill that counts for each id, ordered by id. */
  readonly entries: readonly SkillEntry[];
  find(id: string): SkillEntry | undefined;
  /** What was decided about the skill that counts; undefined where nobody decides. */
  standing(id: string): Standing | undefined;
  /** What is on record about an agent, by its key; absent or undefined where nothing is. */
  agent?(key: string): AgentStanding | undefined;
  /** The same for someone who may not have every skill; absent where no skill can stand in for another. */
  openTo?(accepts: Accepts): ShelfView;
  /**
   * Skills and revisions that count only for those who do not have the one that counts, by the name they are searched
   * under; absent where there are none.
   */
  readonly alternates?: ReadonlyMap<string, SkillEntry>;
  /** The name that the skill of this id is searched under; absent where that is the id. */
  searchName?(id: string): string;
  /** What kind of source the skill that counts is from: it ranks by it when shelves are layered. */
  kind(id: string): SourceKind | undefined;
  /** The ids of all that may differ from an earlier view of the shelf; absent or undefined when that is not known. */
  since?(earlier: ShelfView): ReadonlySet<string> | undefined;
  readonly shadowed: readonly ShadowedSkill[];
  readonly invalid: readonly InvalidSkill[];
}

/** Whether a skill is there for the one who asks; without a question of on or off. */
export type Accepts = (entry: SkillEntry, standing: Standing | undefined) => boolean;

/** A skill that another one of the same id keeps from being used. */
export interface ShadowedSkill {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  /** The source and path of the skill that counts. */
  readonly by: { readonly source: string; readonly path: string };
}

/** A folder that looks like a skill and cannot be loaded. */
export interface InvalidSkill {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface OpenBundle {
  /** The entry of what was read: a newer one when the file has changed since it was indexed. */
  readonly entry: SkillEntry;
  readonly skill: ParsedSkill;
  readonly skillHash: Digest;
  readonly treeHash: Digest;
  readonly files: readonly SkillFile[];
  readonly folder: string | undefined;
  readonly isLastGood: boolean;
}

export interface FilePart {
  /** The entry of the skill that the file is of: a newer one when it has changed since it was indexed. */
  readonly entry: SkillEntry;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly digest: Digest;
  readonly treeHash: Digest;
}
