import { crc32 } from "node:zlib";
import type { ArchiveEntry, EntryContent } from "./archive-entry.ts";
import { type InflateBound, type Inflation, inflateAtOnce, inflatePieces } from "./inflate.ts";
import { rejectArchive } from "./rejection.ts";
import type { SealedArchive } from "./sealed-archive.ts";
import type { ZipRecord } from "./zip-record.ts";

export interface LocatedEntry {
  readonly entry: ArchiveEntry;
  readonly record: ZipRecord;
}

/** Above this size, work is asynchronous; below it, the thread pool costs more than the work. */
const LONGEST_TURN = 1024 * 1024;

/** Yields the contents of a ZIP and verifies sizes and checksums. */
export async function* readZipContents(
  located: readonly LocatedEntry[],
  archive: SealedArchive,
): AsyncGenerator<EntryContent> {
  for (const { entry, record } of located)
    if (!entry.isDropped) yield { entry, pieces: readContent(archive, record) };
}

async function* readContent(archive: SealedArchive, record: ZipRecord): AsyncGenerator<Uint8Array> {
  const { method, size, packed, dataStart, dataEnd } = record;
  if (method !== 8) {
    rejectOther(yield* copyData(archive, record), record);
  } else if (Math.max(size, packed) > LONGEST_TURN) {
    rejectOther(yield* inflatePieces(archive.pieces(dataStart, dataEnd), boundOf(record)), record);
  } else {
    const inflation = inflateAtOnce(await archive.read(dataStart, packed), boundOf(record));
    rejectOther(inflation, record);
    yield inflation.bytes;
  }
}

function boundOf({ name, size }: ZipRecord): InflateBound {
  return {
    maxBytes: size,
    refuse: (problem) =>
      problem === "too-large"
        ? rejectArchive("size", "unpacks to more bytes than it says", name)
        : rejectArchive("damaged", "has damaged data", name),
  };
}

function rejectOther(found: Inflation, { name, size, packed, checksum }: ZipRecord): void {
  if (found.consumed !== packed) throw rejectArchive("damaged", "has bytes after its data", name);
  if (found.size !== size) throw rejectArchive("size", "has a size mismatch", name);
  if (found.checksum !== checksum) throw rejectArchive("checksum", "has a checksum mismatch", name);
}

async function* copyData(
  archive: SealedArchive,
  { dataStart, dataEnd }: ZipRecord,
): AsyncGenerator<Uint8Array, Inflation> {
  let size = 0;
  let checksum = 0;
  for await (const piece of archive.pieces(dataStart, dataEnd)) {
    size += piece.length;
    checksum = crc32(piece, checksum);
    yield piece;
  }
  return { size, checksum, consumed: size };
}
