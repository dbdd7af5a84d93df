import { basename } from "node:path";
import { folderId } from "@skillhold/skill";
import type { FileStamp } from "./open-skill.ts";
import type { SkillRecord } from "./record.ts";
import { readRecordText, writeRecordText } from "./record-text.ts";

/** The rows of a snapshot, by number. */
export interface StoredRows {
  /** For each row the four numbers of its stamp: `mtimeMs`, `ctimeMs`, `size` and `ino`. */
  readonly stamps: Float64Array;
  /** For each row 1 if it is valid, else 0. */
  readonly validity: Uint8Array;
  /** The record as text. */
  textAt(index: number): string;
}

export const STAMP_NUMBERS = 4;

/** A skill that was just read. */
interface FreshRow {
  readonly stamp: FileStamp;
  readonly record: SkillRecord;
}

/** One skill folder of a scanned source. A record from a snapshot stays text until it is needed. */
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
  #record: SkillRecord | StoredRows;
  readonly #index: number;

  /** A fresh row, or the one at `index` of a snapshot. */
  constructor(path: string, file: string, from: FreshRow | StoredRows, index = 0) {
    this.path = path;
    this.file = file;
    this.#index = index;
    if ("record" in from) {
      const { stamp, record } = from;
      this.isValid = record.isValid;
      this.mtimeMs = stamp.mtimeMs;
      this.ctimeMs = stamp.ctimeMs;
      this.size = stamp.size;
      this.ino = stamp.ino;
      this.#record = record;
    } else {
      const at = index * STAMP_NUMBERS;
      this.isValid = from.validity[index] === 1;
      this.mtimeMs = from.stamps[at] ?? 0;
      this.ctimeMs = from.stamps[at + 1] ?? 0;
      this.size = from.stamps[at + 2] ?? 0;
      this.ino = from.stamps[at + 3] ?? 0;
      this.#record = from;
    }
  }

  get record(): SkillRecord {
    if ("textAt" in this.#record) this.#record = readRecordText(this.#record.textAt(this.#index));
    return this.#record;
  }

  get recordText(): string {
    return "textAt" in this.#record ? this.#record.textAt(this.#index) : writeRecordText(this.#record);
  }

  /** The id of the skill. Contract: `root` is the root of the source and the same on every call. */
  idBelow(root: string): string {
    this.#id ??= folderId(this.nameBelow(root)).id;
    return this.#id;
  }

  /** The name of the folder. */
  nameBelow(root: string): string {
    return this.path === "." ? basename(root) : this.path.slice(this.path.lastIndexOf("/") + 1);
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
