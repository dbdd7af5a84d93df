import type { FileStamp } from "./open-skill.ts";
import type { SkillRecord } from "./record.ts";

/**
 * One skill folder of a scanned source. What its SKILL.md says is kept as text until someone asks: most starts ask
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
  #record: SkillRecord | string;

  constructor(path: string, file: string, isValid: boolean, stamp: FileStamp, record: SkillRecord | string) {
    this.path = path;
    this.file = file;
    this.isValid = isValid;
    this.mtimeMs = stamp.mtimeMs;
    this.ctimeMs = stamp.ctimeMs;
    this.size = stamp.size;
    this.ino = stamp.ino;
    this.#record = record;
  }

  get record(): SkillRecord {
    // The text was written by `recordText` of a row that held a record, and came back through a checked snapshot.
    if (typeof this.#record === "string") this.#record = JSON.parse(this.#record) as SkillRecord;
    return this.#record;
  }

  get recordText(): string {
    return typeof this.#record === "string" ? this.#record : JSON.stringify(this.#record);
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
