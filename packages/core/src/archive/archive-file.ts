/** A file to be put into an archive. */
export interface ArchiveFile {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Uint8Array;
}
