import { refuseArchive } from "./refusal.ts";

/** Where the central directory of a ZIP lies and how many records it says it has. */
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

/**
 * Reads the end record and holds it to account for every byte from the directory's start to the file's end: two
 * readers that look for it from different sides then find the same one.
 */
export function readZipEnd(archive: Buffer): ZipEnd {
  const at = archive.lastIndexOf(END);
  if (at === -1 || at + END_BYTES > archive.length)
    throw refuseArchive("damaged", "is cut off: a ZIP has an end record");
  const comment = archive.subarray(at + END_BYTES);
  if (archive.readUInt16LE(at + 20) !== comment.length)
    throw refuseArchive("layout", "goes on after its end record");
  if (!isPlainText(comment)) throw refuseArchive("layout", "has a comment that is not plain text");
  const found = {
    ...readCounts(archive.readUInt16LE(at + 4), archive.readUInt16LE(at + 6), {
      here: archive.readUInt16LE(at + 8),
      all: archive.readUInt16LE(at + 10),
    }),
    size: archive.readUInt32LE(at + 12),
    start: archive.readUInt32LE(at + 16),
  };
  const isLarge = at >= LOCATOR_BYTES && archive.readUInt32LE(at - LOCATOR_BYTES) === LOCATOR;
  const end = isLarge ? at - LOCATOR_BYTES - END64_BYTES : at;
  const { count, size, start } = isLarge ? readEnd64(archive, end, found) : found;
  if (start + size !== end)
    throw refuseArchive("layout", "has a directory that does not end at its end record");
  return { count, start, end };
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
    throw refuseArchive("layout", "is one part of several");
  }
  return { count: entries.all };
}

/** The record for large archives, which some writers add to small ones; the small record may not contradict it. */
function readEnd64(archive: Buffer, at: number, small: Directory): Directory {
  const locator = at + END64_BYTES;
  const isInPlace =
    at >= 0 &&
    archive.readUInt32LE(locator + 4) === 0 &&
    archive.readBigUInt64LE(locator + 8) === BigInt(at) &&
    archive.readUInt32LE(at) === END64 &&
    archive.readBigUInt64LE(at + 4) === BigInt(END64_BYTES - 12);
  if (!isInPlace) throw refuseArchive("layout", "has a ZIP64 end record that is not where it should be");
  const large = {
    ...readCounts(archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 20), {
      here: readLong(archive, at + 24),
      all: readLong(archive, at + 32),
    }),
    size: readLong(archive, at + 40),
    start: readLong(archive, at + 48),
  };
  const agrees =
    (small.count === 0xffff || small.count === large.count) &&
    (small.size === 0xffffffff || small.size === large.size) &&
    (small.start === 0xffffffff || small.start === large.start);
  if (!agrees) throw refuseArchive("mismatch", "has two end records that disagree");
  return large;
}

function readLong(archive: Buffer, at: number): number {
  const value = archive.readBigUInt64LE(at);
  if (value > BigInt(archive.length)) throw refuseArchive("layout", "has an end record that points outside");
  return Number(value);
}

/**
 * A comment says nothing about what is unpacked, and git puts the commit there. Plain text cannot hold the signature
 * of a second end record, which is what makes comments dangerous.
 */
function isPlainText(bytes: Uint8Array): boolean {
  return bytes.every(
    (byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d,
  );
}
