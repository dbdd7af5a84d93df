import { SkillError } from "@skillhold/protocol/error";

/** The bytes of an archive, wherever they lie: they are read in parts and never held all at once. */
export interface ArchiveBytes {
  readonly size: number;
  /**
   * Fills `into` with the bytes from `start` on, or throws IO_FAILED where there are not as many any more.
   *
   * Contract: `start + into.length` is not more than `size`.
   */
  read(start: number, into: Uint8Array): Promise<void>;
}

/** An archive that is in memory already, because it is small or was made there. */
export function archiveInMemory(bytes: Uint8Array): ArchiveBytes {
  return {
    size: bytes.length,
    read: async (start, into) => into.set(bytes.subarray(start, start + into.length)),
  };
}

/** Nothing of what was read before can be relied on. */
export function changedArchive(): SkillError {
  return new SkillError("IO_FAILED", "The archive changed while it was being read.", {
    hint: "Run it again when nothing writes to the archive.",
  });
}
