/** What is in an archive or a folder, with the content of those files that are asked for. */
export interface Listing {
  readonly files: readonly ListedFile[];
}

export interface ListedFile {
  readonly path: string;
  readonly size: number;
  /** Of one that is asked for and not too large. */
  readonly content?: Uint8Array;
}

/** How much of a stranger's archive the browser takes in. */
export interface ListingBounds {
  readonly isWanted: (path: string) => boolean;
  /** How large a file may be to be read, and how many are. */
  readonly fileBytes: number;
  readonly files: number;
  readonly unpackedBytes: number;
}

export function isSkillFile(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path);
}
