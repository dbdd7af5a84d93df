import type { Limits } from "@skillhold/protocol/limits";
import { RATIO_FREE_BYTES } from "./entry-list.ts";
import { type InflateBound, inflatePieces } from "./inflate.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";
import type { SealedArchive } from "./sealed-archive.ts";

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_CHECKSUM = 0x02;
const HAS_EXTRA = 0x04;
const HAS_NAME = 0x08;
const HAS_COMMENT = 0x10;
const RESERVED = 0xe0;

/**
 * Yields the content of one gzip member. Contract: the content is verified only once the end is reached without an
 * error. A second member or trailing data rejects the archive.
 */
export async function* gunzip(
  archive: SealedArchive,
  maxBytes: number,
  limits: Limits,
): AsyncGenerator<Buffer> {
  const start = await findData(archive);
  const data = archive.pieces(start, archive.size);
  const { size, checksum, consumed } = yield* inflatePieces(data, boundOf(archive, maxBytes, limits));
  const end = start + consumed;
  const rest = archive.size - end;
  if (rest < TRAILER_BYTES) throw rejectArchive("damaged", "is truncated");
  if (rest > TRAILER_BYTES) throw rejectArchive("layout", "has trailing data after its compressed data");
  const trailer = await archive.read(end, TRAILER_BYTES);
  if (trailer.readUInt32LE(0) !== checksum) throw rejectArchive("checksum", "has a checksum mismatch");
  if (trailer.readUInt32LE(4) !== size % 2 ** 32) throw rejectArchive("size", "has a size mismatch");
}

function boundOf(archive: SealedArchive, maxBytes: number, limits: Limits): InflateBound {
  const fair = Math.max(RATIO_FREE_BYTES, archive.size * limits.archiveRatio);
  return {
    maxBytes: Math.min(maxBytes, fair),
    refuse: (problem) => {
      if (problem === "damaged") return rejectArchive("damaged", "has damaged compressed data");
      return fair < maxBytes
        ? exceedsLimit("archiveRatio", limits, `unpacks to more than ${limits.archiveRatio} times its size`)
        : exceedsLimit("unpackedBytes", limits, `unpacks to more than ${limits.unpackedBytes} bytes`);
    },
  };
}

/** The end of the header. */
async function findData(archive: SealedArchive): Promise<number> {
  const [flags = RESERVED] = await readSome(archive, 3, 1);
  if ((flags & RESERVED) !== 0) throw rejectArchive("damaged", "has an unknown gzip header");
  let at = HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) {
    const length = await readSome(archive, at, 2);
    at += 2 + (length.length === 2 ? length.readUInt16LE(0) : 0);
  }
  if ((flags & HAS_NAME) !== 0) at = await findEndOfText(archive, at);
  if ((flags & HAS_COMMENT) !== 0) at = await findEndOfText(archive, at);
  if ((flags & HAS_CHECKSUM) !== 0) at += 2;
  if (at + TRAILER_BYTES > archive.size) throw rejectArchive("damaged", "is truncated");
  return at;
}

/** Reads up to this many bytes. */
async function readSome(archive: SealedArchive, start: number, length: number): Promise<Buffer> {
  return await archive.read(start, Math.min(length, Math.max(0, archive.size - start)));
}

async function findEndOfText(archive: SealedArchive, start: number): Promise<number> {
  let at = start;
  for await (const piece of archive.pieces(start, archive.size)) {
    const end = piece.indexOf(0);
    if (end !== -1) return at + end + 1;
    at += piece.length;
  }
  throw rejectArchive("damaged", "is truncated");
}
