import type { Diagnostic, Digest, SkillEntry } from "@skillhold/protocol";
import type { ParsedSkill } from "../skill/index.ts";
import type { ByteRange, LibraryChange, SkillFile } from "./library.ts";

/**
 * Where a library's skills stand, before anyone looks: every candidate with its rank, and the way to its bytes. It
 * knows nothing of viewers. Folders, memory and later the registry are kinds of shelf under one library.
 */
export interface Shelf {
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
  readonly shadowed: readonly ShadowedSkill[];
  readonly invalid: readonly InvalidSkill[];
}

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
