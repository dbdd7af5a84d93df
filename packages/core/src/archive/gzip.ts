import { crc32 } from "node:zlib";
import type { Limits } from "@skillhold/protocol/limits";
import { RATIO_FREE_BYTES } from "./entry-list.ts";
import { inflate } from "./inflate.ts";
import { exceedsLimit, refuseArchive } from "./refusal.ts";

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_CHECKSUM = 0x02;
const HAS_EXTRA = 0x04;
const HAS_NAME = 0x08;
const HAS_COMMENT = 0x10;
const RESERVED = 0xe0;

/** Gives what one gzip member holds. A second member, or anything else after the first, refuses the archive. */
export async function gunzip(archive: Buffer, maxBytes: number, limits: Limits): Promise<Buffer> {
  const fair = Math.max(RATIO_FREE_BYTES, archive.length * limits.archiveRatio);
  const data = archive.subarray(headerLength(archive));
  const inflation = await inflate(data, Math.min(maxBytes, fair));
  if ("problem" in inflation) {
    if (inflation.problem === "damaged") throw refuseArchive("damaged", "has damaged compressed data");
    throw fair < maxBytes
      ? exceedsLimit("archiveRatio", limits, `unpacks to more than ${limits.archiveRatio} times its size`)
      : exceedsLimit("unpackedBytes", limits, `unpacks to more than ${limits.unpackedBytes} bytes`);
  }
  const { bytes, consumed } = inflation;
  const trailer = data.subarray(consumed);
  if (trailer.length < TRAILER_BYTES) throw refuseArchive("damaged", "is cut off");
  if (trailer.length > TRAILER_BYTES) throw refuseArchive("layout", "goes on after its compressed data");
  if (trailer.readUInt32LE(0) !== crc32(bytes))
    throw refuseArchive("checksum", "has another checksum than it says");
  if (trailer.readUInt32LE(4) !== bytes.length % 2 ** 32)
    throw refuseArchive("size", "has another size than it says");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function headerLength(archive: Buffer): number {
  const flags = archive[3] ?? RESERVED;
  if ((flags & RESERVED) !== 0) throw refuseArchive("damaged", "has a gzip header that is not known");
  let at = HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) at += 2 + (at + 2 <= archive.length ? archive.readUInt16LE(at) : 0);
  if ((flags & HAS_NAME) !== 0) at = endOfText(archive, at);
  if ((flags & HAS_COMMENT) !== 0) at = endOfText(archive, at);
  if ((flags & HAS_CHECKSUM) !== 0) at += 2;
  if (at + TRAILER_BYTES > archive.length) throw refuseArchive("damaged", "is cut off");
  return at;
}

function endOfText(archive: Buffer, start: number): number {
  const end = archive.indexOf(0, start);
  if (end === -1) throw refuseArchive("damaged", "is cut off");
  return end + 1;
}
