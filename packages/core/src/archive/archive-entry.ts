import type { RelativePath } from "../bundle/index.ts";

/** An entry of an archive that has passed every check that can be made without inflating it. */
export interface ArchiveEntry {
  /** Empty for the folder that everything is in. */
  readonly path: RelativePath | "";
  readonly kind: EntryKind;
  readonly size: number;
  /** The owner's bit, where the archive has modes. */
  readonly executable: boolean;
  /** It is left over from an operating system and is not unpacked. */
  readonly isDropped: boolean;
}

export type EntryKind = "file" | "folder";

export interface ArchiveListing {
  /** In the order of the archive. */
  readonly entries: readonly ArchiveEntry[];
  /**
   * What is in the entries that are not dropped, in the order in which it lies there, so that all of it is one pass.
   *
   * Contract: the pieces of an entry are read to their end before the next entry is asked for.
   */
  contents(): AsyncIterable<EntryContent>;
}

export interface EntryContent {
  readonly entry: ArchiveEntry;
  /**
   * Exactly `size` bytes, each piece good until the next is asked for. They are checked as far as the format allows:
   * before the end was reached without a failure, they are not to be relied on.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
}
