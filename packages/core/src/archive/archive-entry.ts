import type { RelativePath } from "../bundle/index.ts";

/** An entry that passed every check before decompression. */
export interface ArchiveEntry {
  /** Empty for the top folder. */
  readonly path: RelativePath | "";
  readonly kind: EntryKind;
  readonly size: number;
  /** The owner's execute bit, if the archive has modes. */
  readonly executable: boolean;
  /** True for operating system files, which are not unpacked. */
  readonly isDropped: boolean;
}

export type EntryKind = "file" | "folder";

export interface ArchiveListing {
  /** In archive order. */
  readonly entries: readonly ArchiveEntry[];
  /**
   * The contents of the entries that are not dropped, in archive order, so that one pass reads all.
   *
   * Contract: the chunks of an entry are read to the end before the next entry is requested.
   */
  contents(): AsyncIterable<EntryContent>;
}

export interface EntryContent {
  readonly entry: ArchiveEntry;
  /**
   * Exactly `size` bytes. Each chunk is valid until the next is requested. Contract: the bytes are verified only once
   * the end is reached without an error.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
}
