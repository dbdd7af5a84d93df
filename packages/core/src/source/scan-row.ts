import type { FileStamp } from "./open-skill.ts";
import type { SkillRecord } from "./record.ts";
import { type RecordTexts, readRecord, writeRecord } from "./record-text.ts";

/**
 * One skill folder of a scanned source. What its SKILL.md says is kept as bytes until someone asks: most starts ask
 * for few of the skills.
 */
export class ScanRow implements FileStamp {
  /** Relative to the root of the source, `.` for the root itself. */
  readonly path: string;
  /** `SKILL.md` or `skill.md`. */
  readonly file: string;
  readonly isValid: boolean;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly size: number;
  readonly ino: number;
  #record: SkillRecord | RecordTexts;
  readonly #index: number;

  /** `index` is the row's place among the texts, when the record comes as one of them. */
  constructor(
    path: string,
    file: string,
    isValid: boolean,
    stamp: FileStamp,
    record: SkillRecord | RecordTexts,
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
    if ("textAt" in this.#record) this.#record = readRecord(this.#record.textAt(this.#index));
    return this.#record;
  }

  get recordText(): string {
    return "textAt" in this.#record ? this.#record.textAt(this.#index) : writeRecord(this.#record);
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
