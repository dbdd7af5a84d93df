import { SkillError } from "@skillhold/protocol/error";

/** The bytes of an archive, read in parts and never held in memory as a whole. */
export interface ArchiveBytes {
  readonly size: number;
  /**
   * Fills `into` with the bytes from `start`; throws IO_FAILED when the archive became shorter.
   *
   * Contract: `start + into.length` is at most `size`.
   */
  read(start: number, into: Uint8Array): Promise<void>;
}

/** An archive in memory. */
export function archiveInMemory(bytes: Uint8Array): ArchiveBytes {
  return {
    size: bytes.length,
    read: async (start, into) => into.set(bytes.subarray(start, start + into.length)),
  };
}

/** Earlier reads are no longer valid. */
export function changedArchive(): SkillError {
  return new SkillError("IO_FAILED", "The archive changed during the read.", {
    hint: "Retry when no program writes to the archive.",
  });
}
