import { rejectArchive } from "./rejection.ts";
import type { SealedArchive } from "./sealed-archive.ts";

/** The position and record count of the central directory. */
export interface ZipEnd {
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

const END = Buffer.from("PK\x05\x06", "latin1");
const END_BYTES = 22;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const END64 = 0x06064b50;
const END64_BYTES = 56;

/** The most bytes after a directory: ZIP64 records, the end record and the longest comment. */
const LONGEST_TAIL = END64_BYTES + LOCATOR_BYTES + END_BYTES + 0xffff;

/**
 * Reads the end record, which must account for every byte from the directory to the end of the file, so that every
 * reader finds the same record.
 */
export async function readZipEnd(archive: SealedArchive): Promise<ZipEnd> {
  const length = Math.min(archive.size, LONGEST_TAIL);
  const tail: Tail = {
    bytes: await archive.read(archive.size - length, length),
    start: archive.size - length,
  };
  const { bytes } = tail;
  const at = bytes.lastIndexOf(END);
  if (at === -1 || at + END_BYTES > bytes.length)
    throw rejectArchive("damaged", "does not end with the end record of a ZIP: it is cut off, or goes on");
  const comment = bytes.subarray(at + END_BYTES);
  if (bytes.readUInt16LE(at + 20) !== comment.length)
    throw rejectArchive("layout", "goes on after its end record");
  if (!isPlainText(comment)) throw rejectArchive("layout", "has a comment that is not plain text");
  const found = {
    ...readCounts(bytes.readUInt16LE(at + 4), bytes.readUInt16LE(at + 6), {
      here: bytes.readUInt16LE(at + 8),
      all: bytes.readUInt16LE(at + 10),
    }),
    size: bytes.readUInt32LE(at + 12),
    start: bytes.readUInt32LE(at + 16),
  };
  const isLarge = at >= LOCATOR_BYTES && bytes.readUInt32LE(at - LOCATOR_BYTES) === LOCATOR;
  const endAt = isLarge ? at - LOCATOR_BYTES - END64_BYTES : at;
  const { count, size, start } = isLarge ? readEnd64(tail, endAt, found) : found;
  const end = tail.start + endAt;
  if (start + size !== end)
    throw rejectArchive("layout", "has a directory that does not end at its end record");
  return { count, start, end };
}

/** The last bytes of an archive and their offset. */
interface Tail {
  readonly bytes: Buffer;
  readonly start: number;
}

interface Directory {
  readonly count: number;
  readonly size: number;
  readonly start: number;
}

function readCounts(
  disk: number,
  startDisk: number,
  entries: { readonly here: number; readonly all: number },
): Pick<Directory, "count"> {
  if (disk !== 0 || startDisk !== 0 || entries.here !== entries.all) {
    throw rejectArchive("layout", "is one part of several");
  }
  return { count: entries.all };
}

/** The ZIP64 record, which some writers add to small archives; it must agree with the small record. */
function readEnd64({ bytes, start }: Tail, at: number, small: Directory): Directory {
  const locator = at + END64_BYTES;
  const isInPlace =
    at >= 0 &&
    bytes.readUInt32LE(locator + 4) === 0 &&
    bytes.readBigUInt64LE(locator + 8) === BigInt(start + at) &&
    bytes.readUInt32LE(at) === END64 &&
    bytes.readBigUInt64LE(at + 4) === BigInt(END64_BYTES - 12);
  if (!isInPlace) throw rejectArchive("layout", "has a ZIP64 end record that is not where it should be");
  const record = bytes.subarray(at, locator);
  const archiveBytes = start + bytes.length;
  const large = {
    ...readCounts(record.readUInt32LE(16), record.readUInt32LE(20), {
      here: readLong(record, 24, archiveBytes),
      all: readLong(record, 32, archiveBytes),
    }),
    size: readLong(record, 40, archiveBytes),
    start: readLong(record, 48, archiveBytes),
  };
  const agrees =
    (small.count === 0xffff || small.count === large.count) &&
    (small.size === 0xffffffff || small.size === large.size) &&
    (small.start === 0xffffffff || small.start === large.start);
  if (!agrees) throw rejectArchive("mismatch", "has two end records that disagree");
  return large;
}

function readLong(record: Buffer, at: number, archiveBytes: number): number {
  const value = record.readBigUInt64LE(at);
  if (value > BigInt(archiveBytes)) throw rejectArchive("layout", "has an end record that points outside");
  return Number(value);
}

/**
 * A comment does not affect unpacking, and git stores the commit there. Plain text cannot contain the signature of a
 * second end record.
 */
function isPlainText(bytes: Uint8Array): boolean {
  return bytes.every(
    (byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d,
  );
}
