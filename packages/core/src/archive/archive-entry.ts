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
  /** Gives exactly `size` bytes, checked as far as the format allows, or throws. */
  read(): Promise<Uint8Array>;
}

export type EntryKind = "file" | "folder";
