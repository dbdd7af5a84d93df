import { basename } from "node:path";
import { folderId } from "@skillhold/skill";
import type { FileStamp } from "./open-skill.ts";
import type { SkillRecord } from "./record.ts";
import { type RecordTexts, readRecordText, writeRecordText } from "./record-text.ts";

/**
 * One skill folder of a scanned source. The record stays text until it is needed: most starts need few skills, and
 * slices of the text would keep the whole file in memory.
 */
export class FolderRow implements FileStamp {
  /** Relative to the root of the source, `.` for the root itself. */
  readonly path: string;
  /** SKILL.md, as it is spelled in the folder. */
  readonly file: string;
  readonly isValid: boolean;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
  readonly ino: number;
  #id: string | undefined;
  #record: SkillRecord | RecordTexts | string;
  readonly #index: number;

  /** The record is its text, or the one at `index` of many. */
  constructor(
    path: string,
    file: string,
    isValid: boolean,
    stamp: FileStamp,
    record: string | RecordTexts,
    index = 0,
  ) {
    this.path = path;
    this.file = file;
    this.isValid = isValid;
    this.mtimeMs = stamp.mtimeMs;
    this.ctimeMs = stamp.ctimeMs;
    this.size = stamp.size;
    this.ino = stamp.ino;
    this.#record = record;
    this.#index = index;
  }

  get record(): SkillRecord {
    if (typeof this.#record === "string") this.#record = readRecordText(this.#record);
    else if ("textAt" in this.#record) this.#record = readRecordText(this.#record.textAt(this.#index));
    return this.#record;
  }

  get recordText(): string {
    if (typeof this.#record === "string") return this.#record;
    return "textAt" in this.#record ? this.#record.textAt(this.#index) : writeRecordText(this.#record);
  }

  /** The id of the skill. Contract: `root` is the root of the source and the same on every call. */
  idBelow(root: string): string {
    this.#id ??= folderId(basename(this.path === "." ? root : this.path)).id;
    return this.#id;
  }

  isSame(stamp: FileStamp | undefined): boolean {
    return (
      stamp !== undefined &&
      stamp.ctimeMs === this.ctimeMs &&
      stamp.mtimeMs === this.mtimeMs &&
      stamp.size === this.size &&
      stamp.ino === this.ino
    );
  }
}
