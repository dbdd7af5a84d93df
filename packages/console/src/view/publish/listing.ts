/** What is in an archive or a folder, as far as it takes to find its skills. */
export interface Listing {
  readonly files: readonly ListedFile[];
}

export interface ListedFile {
  readonly path: string;
  readonly size: number;
  /** Of a SKILL.md that is not too large. */
  readonly content?: Uint8Array;
}

/** How much of a stranger's archive the browser takes in. */
export interface ListingBounds {
  readonly skillFileBytes: number;
  readonly unpackedBytes: number;
  readonly archiveSkills: number;
}

export function isSkillFile(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path);
}
