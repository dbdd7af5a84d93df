import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { Pace } from "../bundle/pace.ts";
import type { ArchiveListing, EntryContent } from "./archive-entry.ts";
import { gunzip } from "./gzip.ts";
import { rejectExtensions } from "./pax.ts";
import { refuseArchive } from "./refusal.ts";
import { isDueAfter, type SealedArchive } from "./sealed-archive.ts";
import { Tape } from "./tape.ts";
import { BLOCK_BYTES, readTarBlocks } from "./tar-block.ts";
import { type TarEntry, TarRegister } from "./tar-register.ts";
import { TarWitness } from "./tar-witness.ts";

/** What a tar needs for an entry beside its content: a header, its padding, an extension and the padding of that. */
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

/** Gives a tar from its start. It is the same every time, because the archive is sealed. */
type OpenTar = () => AsyncGenerator<Buffer>;

/**
 * Lists a tar after every check, on all of it. The checks leave only what all readers read in one way, and tar-stream
 * reads it too: where the two do not find the same, the archive is refused.
 *
 * Contract: the pieces stay as they are, because tar-stream keeps parts of them; `open` gives the same bytes for the
 * contents, where nothing is kept.
 */
async function listPieces(
  pieces: AsyncGenerator<Buffer>,
  open: OpenTar,
  limits: Limits,
  pace: Pace,
): Promise<ArchiveListing> {
  const register = new TarRegister(limits);
  const witness = new TarWitness((entry) => register.admit(entry));
  try {
    const tape = new Tape(showTo(witness, pieces, pace));
    for await (const block of rejectExtensions(readTarBlocks(tape))) {
      register.add(block);
      if (pace.isDue()) await pace.rest();
    }
    await witness.end();
    const entries = register.finish();
    return { entries, contents: () => readContents(entries, open) };
  } catch (error) {
    // Where the compression is damaged, the tar may be wrong in any way: then the damage is what is to be told.
    if (isRefusal(error)) for await (const piece of pieces) if (isDueAfter(piece, pace)) await pace.rest();
    throw error;
  } finally {
    await pieces.return(undefined);
  }
}

/** Passes pieces on and shows them to the witness. They are not closed when nobody asks for more. */
async function* showTo(
  witness: TarWitness,
  pieces: AsyncGenerator<Buffer>,
  pace: Pace,
): AsyncGenerator<Buffer> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done === true) return;
    yield value;
    await witness.take(value);
    if (isDueAfter(value, pace)) await pace.rest();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof SkillError && (error.code === "ARCHIVE_INVALID" || error.code === "LIMIT_EXCEEDED");
}

async function* readContents(entries: readonly TarEntry[], open: OpenTar): AsyncGenerator<EntryContent> {
  const tape = new Tape(open());
  try {
    for (const entry of entries) if (!entry.isDropped) yield { entry, pieces: readContent(entry, tape) };
  } finally {
    await tape.close();
  }
}

async function* readContent({ path, start, size }: TarEntry, tape: Tape): AsyncGenerator<Uint8Array> {
  const end = start + BLOCK_BYTES + size;
  await tape.skipTo(end - size);
  while (tape.position < end) {
    const piece = await tape.next(end - tape.position);
    if (piece === undefined) throw refuseArchive("damaged", "is cut off", path);
    yield piece;
  }
}
