import { basename } from "node:path";
import type { Diagnostic } from "@skillhold/protocol";
import { folderId } from "@skillhold/skill";
import { timeText } from "./entry.ts";
import type { FileStamp } from "./open-skill.ts";
import { type RecordFacts, usual, writeFacts } from "./record.ts";

/** The rows of a snapshot, by number. */
export interface StoredRows {
  /** For each row the four numbers of its stamp: `mtimeMs`, `ctimeMs`, `size` and `ino`. */
  readonly stamps: Float64Array;
  /** For each row 1 if it is valid, else 0. */
  readonly validity: Uint8Array;
  /** For each row the text of its `mtimeMs`. */
  readonly times: string;
  readonly facts: StoredFacts;
}

export const STAMP_NUMBERS = 4;
export const TIME_LENGTH = 24;

/** The facts of the rows of a snapshot: an array in JSON, in ASCII. */
export class StoredFacts {
  readonly #bytes: Buffer;
  readonly #ends: Uint32Array;
  #all: readonly RecordFacts[] | undefined;
  #reads = 0;

  /** `ends` has the offset of the comma or bracket after those of each row. */
  constructor(bytes: Buffer, ends: Uint32Array) {
    this.#bytes = bytes;
    this.#ends = ends;
  }

  textAt(index: number): string {
    return this.#bytes.toString("latin1", (this.#ends[index - 1] ?? 0) + 1, this.#ends[index]);
  }

  /** The first few are parsed one by one, and then all at once, which takes a third of the time. */
  at(index: number): RecordFacts {
    this.#reads += 1;
    if (this.#reads > SINGLE_READS) this.#all ??= JSON.parse(this.#bytes.toString("latin1")) as RecordFacts[];
    return this.#all?.[index] ?? (JSON.parse(this.textAt(index)) as RecordFacts);
  }
}

const SINGLE_READS = 16;

/** A skill that was just read. */
interface FreshRow {
  readonly stamp: FileStamp;
  readonly facts: RecordFacts;
  readonly isValid: boolean;
}

/** One skill folder of a scanned source. Facts from a snapshot stay text until they are needed. */
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
  #facts: RecordFacts | undefined;
  readonly #stored: StoredRows | undefined;
  readonly #index: number;

  /** A fresh row, or the one at `index` of a snapshot. */
  constructor(path: string, file: string, from: FreshRow | StoredRows, index = 0) {
    this.path = path;
    this.file = file;
    this.#index = index;
    if ("stamp" in from) {
      const { stamp, facts, isValid } = from;
      this.isValid = isValid;
      this.mtimeMs = stamp.mtimeMs;
      this.ctimeMs = stamp.ctimeMs;
      this.size = stamp.size;
      this.ino = stamp.ino;
      this.#facts = facts;
      this.#stored = undefined;
    } else {
      const at = index * STAMP_NUMBERS;
      this.isValid = from.validity[index] === 1;
      this.mtimeMs = from.stamps[at] ?? 0;
      this.ctimeMs = from.stamps[at + 1] ?? 0;
      this.size = from.stamps[at + 2] ?? 0;
      this.ino = from.stamps[at + 3] ?? 0;
      this.#stored = from;
    }
  }

  get facts(): RecordFacts {
    this.#facts ??= this.#stored?.facts.at(this.#index);
    // The constructor sets one of the two.
    return this.#facts as RecordFacts;
  }

  get factsText(): string {
    return this.#stored?.facts.textAt(this.#index) ?? writeFacts(this.facts);
  }

  get lastModified(): string {
    const at = this.#index * TIME_LENGTH;
    return this.#stored?.times.slice(at, at + TIME_LENGTH) ?? timeText(this.mtimeMs);
  }

  get skillHash(): RecordFacts[2] {
    return this.facts[2];
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.facts[4]?.diagnostics ?? usual.diagnostics;
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
