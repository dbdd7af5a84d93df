import type { Digest, SkillEntry } from "@skillhold/protocol";
import type { FrontmatterMap } from "@skillhold/skill";
import type { SearchHit } from "../search/index.ts";
import type { Access } from "./access.ts";
import type { Viewer } from "./viewer.ts";

/**
 * The waist of Skillhold: everything below produces one of these, everything above uses one. Each call decides by
 * the viewer what exists; `find` may answer undefined, `read`, `files`, `resource` and `copy` throw SKILL_NOT_FOUND for a
 * skill that the viewer cannot see, in the same words as for one that is not there.
 */
export interface Library {
  /** Visible skills, ordered by id. */
  list(viewer: Viewer): Promise<readonly SkillEntry[]>;
  find(viewer: Viewer, id: string): Promise<SkillEntry | undefined>;
  search(viewer: Viewer, query: string, options?: SearchOptions): Promise<readonly SearchResult[]>;
  /** Level 2: the instructions, verified against the hash they are handed over with. */
  read(viewer: Viewer, id: string): Promise<SkillContent>;
  /** The bundled files: listed, not read. */
  files(viewer: Viewer, id: string): Promise<readonly SkillFile[]>;
  /** Level 3: one file of the bundle, or a part of it. */
  resource(viewer: Viewer, id: string, path: string, range?: ByteRange): Promise<Resource>;
  /** Writes the bundle to an empty folder, read-only; the hashes are of what was written there. */
  copy(viewer: Viewer, id: string, folder: string): Promise<SkillContent>;
  /** Every candidate, also the hidden, shadowed and invalid ones, and why it is or is not there for this viewer. */
  explain(viewer: Viewer, id?: string): Promise<readonly Explanation[]>;
  /** Calls back after each change of the library; returns the way to stop. */
  onChange(listener: (change: LibraryChange) => void): () => void;
  close(): Promise<void>;
}

export interface SearchOptions {
  readonly limit?: number;
}

export interface SearchResult {
  readonly entry: SkillEntry;
  readonly hit: SearchHit;
  /** Text around what matched. */
  readonly snippet: string;
}

export interface SkillContent {
  readonly entry: SkillEntry;
  /** The instructions below the frontmatter, as written. */
  readonly body: string;
  readonly frontmatter: FrontmatterMap;
  /** Over the whole bundle; what an approval or a record of use is bound to. */
  readonly treeHash: Digest;
  /** Over SKILL.md alone. */
  readonly skillHash: Digest;
  readonly files: readonly SkillFile[];
  /** The skill's folder for a reader that has a file system, or undefined. */
  readonly folder: string | undefined;
  /** True when the file on disk is broken and this is the last text that was good. */
  readonly isLastGood: boolean;
}

export interface SkillFile {
  readonly path: string;
  readonly size: number;
  readonly digest: Digest;
  readonly executable: boolean;
  /** What the file is for: script, reference, tool, … */
  readonly role: string;
}

/** From `start`, at most `length` bytes. */
export interface ByteRange {
  readonly start?: number;
  readonly length?: number;
}

export interface Resource {
  readonly path: string;
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
  readonly mimeType: string;
  /** Of the whole file. */
  readonly size: number;
  readonly start: number;
  /** Bytes of the file that the content stands for; the next range starts after them. */
  readonly length: number;
  /** True when the file goes on after what is returned. */
  readonly hasMore: boolean;
  readonly digest: Digest;
  readonly treeHash: Digest;
}

export interface Explanation {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly state: "visible" | "hidden" | "shadowed" | "invalid";
  readonly reason: Access["reason"] | "shadowed" | "invalid";
  readonly message: string;
  readonly warnings: readonly string[];
}

/** One reload, as the ids it touched. */
export interface LibraryChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Skills whose newest edit cannot be used, with the reason. */
  readonly broken: readonly { readonly id: string; readonly message: string }[];
}
