/** A file to add to an archive. */
export interface ArchiveFile {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Uint8Array;
}
