import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { BLOCK_BYTES, ChunkReader, readTar } from "@skillhold/skill/tar";
import type { Pace } from "../bundle/pace.ts";
import type { ArchiveListing, EntryContent } from "./archive-entry.ts";
import { gunzip } from "./gzip.ts";
import { rejectArchive } from "./rejection.ts";
import { isDueAfter, type SealedArchive } from "./sealed-archive.ts";
import { type TarEntry, TarRegister } from "./tar-register.ts";
import { TarStreamReader } from "./tar-stream-reader.ts";

/** The overhead of a tar entry: header, padding, an extension and its padding. */
const OVERHEAD_PER_FILE = 4096;

export async function listTarGz(archive: SealedArchive, limits: Limits, pace: Pace): Promise<ArchiveListing> {
  const maxBytes = limits.unpackedBytes + limits.bundleFiles * OVERHEAD_PER_FILE;
  const open = () => gunzip(archive, maxBytes, limits);
  return await listPieces(open(), open, limits, pace);
}

export async function listTar(archive: SealedArchive, limits: Limits, pace: Pace): Promise<ArchiveListing> {
  const open = () => archive.pieces(0, archive.size);
  return await listPieces(copyPieces(open()), open, limits, pace);
}

async function* copyPieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** Reopens a tar from its start. The bytes are the same every time, because the archive is sealed. */
type OpenTar = () => AsyncGenerator<Buffer>;

/**
 * Lists a tar after checking all of it. The checks accept only tars that all readers read alike, and tar-stream must
 * find the same entries.
 *
 * Contract: chunks stay valid, because tar-stream keeps parts; `open` yields the same bytes again.
 */
async function listPieces(
  pieces: AsyncGenerator<Buffer>,
  open: OpenTar,
  limits: Limits,
  pace: Pace,
): Promise<ArchiveListing> {
  const register = new TarRegister(limits);
  const secondReader = new TarStreamReader((entry) => register.admit(entry));
  try {
    const reader = new ChunkReader(showTo(secondReader, pieces, pace));
    for await (const block of readTar(reader, { reject: rejectArchive })) {
      register.add(block);
      if (pace.isDue()) await pace.rest();
    }
    await secondReader.end();
    const entries = register.finish();
    return { entries, contents: () => readContents(entries, open) };
  } catch (error) {
    // Damaged compression can cause any tar error, so the damage is reported.
    if (isRefusal(error)) for await (const piece of pieces) if (isDueAfter(piece, pace)) await pace.rest();
    throw error;
  } finally {
    await pieces.return(undefined);
  }
}

/** Passes chunks on and copies them to the second reader. Does not close the source. */
async function* showTo(
  secondReader: TarStreamReader,
  pieces: AsyncGenerator<Buffer>,
  pace: Pace,
): AsyncGenerator<Buffer> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done === true) return;
    yield value;
    await secondReader.take(value);
    if (isDueAfter(value, pace)) await pace.rest();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof SkillError && (error.code === "ARCHIVE_INVALID" || error.code === "LIMIT_EXCEEDED");
}

async function* readContents(entries: readonly TarEntry[], open: OpenTar): AsyncGenerator<EntryContent> {
  const reader = new ChunkReader(open());
  try {
    for (const entry of entries) if (!entry.isDropped) yield { entry, pieces: readContent(entry, reader) };
  } finally {
    await reader.close();
  }
}

async function* readContent(
  { path, start, size }: TarEntry,
  reader: ChunkReader,
): AsyncGenerator<Uint8Array> {
  const end = start + BLOCK_BYTES + size;
  await reader.skipTo(end - size);
  while (reader.position < end) {
    const piece = await reader.next(end - reader.position);
    if (piece === undefined) throw rejectArchive("damaged", "is truncated", path);
    yield piece;
  }
}
