import type { Digest } from "@skillhold/protocol";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { BLOCK_BYTES, isTar } from "@skillhold/skill/tar";
import { MemoryTree } from "../bundle/memory-tree.ts";
import { Pace } from "../bundle/pace.ts";
import type { ArchiveBytes } from "./archive-bytes.ts";
import type { ArchiveEntry, ArchiveListing, EntryContent } from "./archive-entry.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";
import { isDueAfter, type SealedArchive, sealArchive } from "./sealed-archive.ts";
import { listTar, listTarGz } from "./tar.ts";
import { listZip } from "./zip.ts";

export type ArchiveFormat = "zip" | "tar.gz" | "tar";

export interface UnpackOptions {
  readonly limits?: Limits;
  readonly signal?: AbortSignal;
  /** The buffer size for the archive; at least one byte. */
  readonly chunkBytes?: number;
}

export interface UnpackedArchive {
  readonly format: ArchiveFormat;
  /** The digest of the unpacked bytes, even if the file changed later. */
  readonly digest: Digest;
  /** In archive order. */
  readonly files: readonly UnpackedFile[];
  /** The dropped macOS entries. */
  readonly dropped: readonly string[];
}

export interface UnpackedFile {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

/** Large enough to read most archives once. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** The number of entries to process before yielding. */
const ENTRIES_BETWEEN_RESTS = 128;

/** A checked archive. It can be read several times, with the same bytes each time. */
export interface CheckedArchive extends UnpackedArchive {
  /** The verified bytes of each file, in archive order. One file is in memory at a time. */
  read(): AsyncGenerator<ArchiveContent>;
}

export interface ArchiveContent {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

/** Unpacks an archive into memory: all of it, or an error that names the entry. The limits bound the memory. */
export async function unpack(
  archive: ArchiveBytes,
  options: UnpackOptions = {},
): Promise<UnpackedArchive & { readonly tree: MemoryTree }> {
  const { format, digest, files, dropped, read } = await checkArchive(archive, options);
  const tree = new MemoryTree();
  for await (const { path, bytes, executable } of read()) tree.add(path, bytes, executable);
  return { format, digest, files, dropped, tree };
}

/**
 * Runs all checks that need no decompression; sizes and checksums are checked by each read. An archive that changes
 * meanwhile gives its first content or is rejected.
 */
export async function checkArchive(
  archive: ArchiveBytes,
  options: UnpackOptions = {},
): Promise<CheckedArchive> {
  const limits = options.limits ?? defaultLimits;
  const pace = new Pace(ENTRIES_BETWEEN_RESTS, options.signal);
  pace.stopIfAborted();
  if (archive.size > limits.archiveBytes) {
    throw exceedsLimit("archiveBytes", limits, `is larger than ${limits.archiveBytes} bytes`);
  }
  const sealed = await sealArchive(archive, options.chunkBytes ?? CHUNK_BYTES, pace);
  const format = await findFormat(sealed);
  const listing = await listers[format](sealed, limits, pace);
  const { entries } = listing;
  return {
    format,
    digest: sealed.digest,
    files: entries.filter(isUnpacked).map(({ path, size, executable }) => ({ path, size, executable })),
    dropped: entries.filter(({ isDropped }) => isDropped).map(({ path }) => path),
    read: () => readFiles(listing, pace),
  };
}

async function* readFiles(listing: ArchiveListing, pace: Pace): AsyncGenerator<ArchiveContent> {
  for await (const content of listing.contents()) {
    const bytes = await readContent(content, pace);
    const { kind, path, executable } = content.entry;
    if (kind === "file") yield { path, executable, bytes };
    if (pace.isDue()) await pace.rest();
  }
}

/** Folder contents are read as well, because reading verifies them. */
async function readContent({ entry, pieces }: EntryContent, pace: Pace): Promise<Uint8Array> {
  const bytes = new Uint8Array(entry.size);
  let length = 0;
  for await (const piece of pieces) {
    // Throws for content beyond the size that was checked.
    bytes.set(piece, length);
    length += piece.length;
    if (isDueAfter(piece, pace)) await pace.rest();
  }
  return bytes;
}

type Lister = (archive: SealedArchive, limits: Limits, pace: Pace) => Promise<ArchiveListing>;

const listers: Readonly<Record<ArchiveFormat, Lister>> = { zip: listZip, "tar.gz": listTarGz, tar: listTar };

/** Detected by the first bytes, because the sender chooses names and media types. */
async function findFormat(archive: SealedArchive): Promise<ArchiveFormat> {
  const first = await archive.read(0, Math.min(archive.size, BLOCK_BYTES));
  const start = first.toString("latin1", 0, 4);
  if (start === "PK\x03\x04" || start === "PK\x05\x06") return "zip";
  if (start.startsWith("\x1f\x8b\x08")) return "tar.gz";
  if (isTar(first)) return "tar";
  throw rejectArchive("format", "is neither a ZIP nor a tar, compressed by gzip or not");
}

function isUnpacked({ kind, isDropped }: ArchiveEntry): boolean {
  return kind === "file" && !isDropped;
}
