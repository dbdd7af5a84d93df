import { type UnzipFileInfo, unzipSync, type Zippable, zipSync } from "fflate";
import type { InputFile } from "./input-file.ts";
import { inputError, messageOf, ScriptError } from "./script-error.ts";

/** The parts of an office document by name, in the order of the archive. */
export type OfficeParts = ReadonlyMap<string, Uint8Array>;

export interface ZipBounds {
  readonly maxParts: number;
  readonly maxPartBytes: number;
  readonly maxTotalBytes: number;
  /** Unpacked to packed, for the archive as a whole. */
  readonly maxRatio: number;
}

const MB = 1024 * 1024;

export const officeBounds: ZipBounds = {
  maxParts: 10_000,
  maxPartBytes: 100 * MB,
  maxTotalBytes: 300 * MB,
  maxRatio: 200,
};

/**
 * Unpacks an office document in memory. The bounds are held before anything is unpacked, on the sizes that the
 * archive declares. A part that is longer than it declared is cut there; one that is shorter is refused.
 */
export function readOfficeZip(file: InputFile, bounds: ZipBounds = officeBounds): OfficeParts {
  rejectOtherKinds(file);
  const meter = new ZipMeter(file, bounds);
  try {
    const parts = unzipSync(file.bytes, { filter: (part) => meter.accept(part) });
    return new Map(meter.names.map((name) => [name, meter.check(name, parts[name])]));
  } catch (error) {
    if (error instanceof ScriptError) throw error;
    throw inputError("BROKEN_FILE", `${file.path} is damaged: ${messageOf(error)}`, BROKEN_HINT, error);
  }
}

/** Packs parts so that the same parts give the same bytes, whenever and wherever. */
export function writeOfficeZip(parts: OfficeParts): Uint8Array {
  // ZIP has local time without a zone: a local date is the same bytes in every zone.
  const mtime = new Date(1980, 0, 1);
  const first = parts.has(CONTENT_TYPES) ? [CONTENT_TYPES] : [];
  const names = [...first, ...[...parts.keys()].filter((name) => name !== CONTENT_TYPES)];
  const zippable: Zippable = {};
  for (const name of names) zippable[name] = parts.get(name) ?? new Uint8Array();
  return zipSync(zippable, { mtime, level: 6, os: 0 });
}

/** The text of an XML part; undefined when no part has that name. */
export function readXmlPart(parts: OfficeParts, name: string, file: InputFile): string | undefined {
  const bytes = parts.get(name);
  if (bytes === undefined) return undefined;
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = isUtf16 ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
  const text = new TextDecoder(encoding).decode(bytes);
  // Office files have no document types; in one, entities could multiply without end.
  if (/<!DOCTYPE/i.test(text)) throw inputError("BROKEN_FILE", `${file.path}: ${name} has a document type.`);
  return text;
}

const CONTENT_TYPES = "[Content_Types].xml";
const BROKEN_HINT = "Open it in the program that made it and save it again, or ask for another copy.";

function rejectOtherKinds({ path, bytes }: InputFile): void {
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) {
    throw inputError(
      "ENCRYPTED_OR_LEGACY",
      `${path} is encrypted with a password or in the format of Office before 2007.`,
      "Save it without a password as .docx, .xlsx or .pptx first.",
    );
  }
  if (!startsWith(bytes, [0x50, 0x4b])) {
    throw inputError("NOT_AN_OFFICE_FILE", `${path} is not an office document (no ZIP archive).`);
  }
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

class ZipMeter {
  readonly names: string[] = [];
  readonly #sizes = new Map<string, number>();
  readonly #file: InputFile;
  readonly #bounds: ZipBounds;
  #total = 0;

  constructor(file: InputFile, bounds: ZipBounds) {
    this.#file = file;
    this.#bounds = bounds;
  }

  accept({ name, originalSize }: UnzipFileInfo): boolean {
    if (name === "" || this.#sizes.has(name)) {
      const problem = name === "" ? "an entry without a name" : `two entries named ${name.slice(0, 100)}`;
      throw inputError(
        "BROKEN_FILE",
        `${this.#file.path} is damaged: the archive has ${problem}.`,
        BROKEN_HINT,
      );
    }
    if (name.endsWith("/")) return false;
    this.#total += originalSize;
    this.#sizes.set(name, originalSize);
    this.names.push(name);
    const { maxParts, maxPartBytes, maxTotalBytes, maxRatio } = this.#bounds;
    const isBomb =
      this.names.length > maxParts ||
      originalSize > maxPartBytes ||
      this.#total > maxTotalBytes ||
      this.#total > this.#file.bytes.length * maxRatio;
    if (isBomb) {
      throw inputError("FILE_TOO_LARGE", `${this.#file.path} unpacks to far more than a document contains.`);
    }
    return true;
  }

  check(name: string, bytes: Uint8Array | undefined): Uint8Array {
    if (bytes?.length === this.#sizes.get(name) && bytes !== undefined) return bytes;
    throw inputError(
      "BROKEN_FILE",
      `${this.#file.path}: ${name} has another length than the archive declares.`,
      BROKEN_HINT,
    );
  }
}
