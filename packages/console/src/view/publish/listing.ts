import { IGNORE_FILES, isSkillFile } from "@skillhold/skill";

/** The files in an archive or a folder, with the content of the requested ones. */
export interface Listing {
  readonly files: readonly ListedFile[];
}

export interface ListedFile {
  readonly path: string;
  readonly size: number;
  /** Of one that is asked for and not too large. */
  readonly content?: Uint8Array;
}

/** Limits on how much of an untrusted archive the browser reads. */
export interface ListingBounds {
  readonly isWanted: (path: string) => boolean;
  /** The maximum size of a file that is read. */
  readonly fileBytes: number;
  /** The maximum number of files that are read. */
  readonly files: number;
  readonly unpackedBytes: number;
}

/** Whether the local check reads a file: a SKILL.md, or an ignore file. */
export function isCheckedFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return isSkillFile(name) || IGNORE_FILES.some((each) => each === name);
}
