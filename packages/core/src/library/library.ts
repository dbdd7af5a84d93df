import type { Digest, SkillEntry } from "@skillhold/protocol";
import type { FrontmatterMap } from "@skillhold/skill";
import type { SearchHit } from "../search/index.ts";
import type { Access } from "./access.ts";
import type { Viewer } from "./viewer.ts";

/**
 * The central interface: sources produce a Library, and every surface uses one. Each call decides by viewer which
 * skills exist. `find` may return undefined; `read`, `files`, `resource` and `copy` throw SKILL_NOT_FOUND, with the
 * same message for hidden and missing skills.
 */
export interface Library extends AsyncDisposable {
  /** Visible skills, ordered by id. */
  list(viewer: Viewer): Promise<readonly SkillEntry[]>;
  find(viewer: Viewer, id: string): Promise<SkillEntry | undefined>;
  search(viewer: Viewer, query: string, options?: SearchOptions): Promise<readonly SearchResult[]>;
  /** Level 2: the instructions, verified against their hash. */
  read(viewer: Viewer, id: string, options?: ContentOptions): Promise<SkillContent>;
  /** The bundled files: listed, not read. */
  files(viewer: Viewer, id: string): Promise<readonly SkillFile[]>;
  /** Level 3: one file of the bundle, or a part of it. */
  resource(viewer: Viewer, id: string, path: string, range?: ByteRange): Promise<Resource>;
  /** Copies the bundle to an empty folder, read-only; the hashes cover the written bytes. */
  copy(viewer: Viewer, id: string, folder: string): Promise<SkillContent>;
  /** Every candidate, including hidden, shadowed and invalid ones, with the reason for this viewer. */
  explain(viewer: Viewer, id?: string): Promise<readonly Explanation[]>;
  /** Calls the listener after each change; returns a function that unsubscribes. */
  onChange(listener: (change: LibraryChange) => void): () => void;
  close(): Promise<void>;
}

export interface SearchOptions {
  readonly limit?: number;
  /** How often the viewer used skills, by id. More use lifts a skill a little among its likes. */
  readonly uses?: ReadonlyMap<string, number>;
  /** False for a caller that shows no text of the hits, which saves reading them. */
  readonly hasSnippets?: boolean;
}

export interface ContentOptions {
  /** False for a caller that uses no folder, which saves the copy of a skill in a registry. */
  readonly hasFolder?: boolean;
}

export interface SearchResult {
  readonly entry: SkillEntry;
  readonly hit: SearchHit;
  /** Text around the match. */
  readonly snippet: string;
}

export interface SkillContent {
  readonly entry: SkillEntry;
  /** The instructions below the frontmatter, as written. */
  readonly body: string;
  readonly frontmatter: FrontmatterMap;
  /** The hash of the whole bundle; approvals and activation records are bound to it. */
  readonly treeHash: Digest;
  /** The hash of SKILL.md. */
  readonly skillHash: Digest;
  readonly files: readonly SkillFile[];
  /** The skill's folder, for readers with a file system. */
  readonly folder: string | undefined;
  /** True when the file on disk is invalid and this is the last valid text. */
  readonly isLastGood: boolean;
}

export interface SkillFile {
  readonly path: string;
  readonly size: number;
  readonly digest: Digest;
  readonly executable: boolean;
  /** The role of the file: script, reference, tool, … */
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
  /** The number of bytes that the content covers; the next range starts after them. */
  readonly length: number;
  /** True when more content follows. */
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

/** The ids that a reload changed. */
export interface LibraryChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Skills whose latest edit is invalid, with the reason. */
  readonly broken: readonly { readonly id: string; readonly message: string }[];
}
