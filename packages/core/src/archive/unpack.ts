import { closeSync, fchmodSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { openNew, rejectNonEmpty } from "../bundle/copy.ts";
import { Pace } from "../bundle/pace.ts";
import type { ArchiveBytes } from "./archive-bytes.ts";
import type { ArchiveEntry, ArchiveListing, EntryContent } from "./archive-entry.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";
import { isDueAfter, type SealedArchive, sealArchive } from "./sealed-archive.ts";
import { listTar, listTarGz } from "./tar.ts";
import { BLOCK_BYTES, isTar } from "./tar-block.ts";
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

/**
 * Unpacks an archive into an empty folder: all of it, or an error that names the entry. Empty folders are not created.
 * Memory is a few chunks and the entry list, regardless of sizes.
 */
export async function unpack(
  archive: ArchiveBytes,
  folder: string,
  options: UnpackOptions = {},
): Promise<UnpackedArchive> {
  rejectNonEmpty(folder);
  return await unpackTo((contents, pace) => writeContents(contents, folder, pace), archive, options);
}

/** Receives the contents of the entries that are not dropped. Contract: it discards them if it or the archive fails. */
export type ArchiveSink = (contents: AsyncIterable<EntryContent>, pace: Pace) => Promise<void>;

/**
 * All checks that need no decompression run for every entry before the first write; sizes and checksums are checked during
 * the write. An archive that changes during the read gives its first content or is rejected.
 */
export async function unpackTo(
  sink: ArchiveSink,
  archive: ArchiveBytes,
  options: UnpackOptions = {},
): Promise<UnpackedArchive> {
  const limits = options.limits ?? defaultLimits;
  const pace = new Pace(ENTRIES_BETWEEN_RESTS, options.signal);
  pace.stopIfAborted();
  if (archive.size > limits.archiveBytes) {
    throw exceedsLimit("archiveBytes", limits, `is larger than ${limits.archiveBytes} bytes`);
  }
  const sealed = await sealArchive(archive, options.chunkBytes ?? CHUNK_BYTES, pace);
  const format = await findFormat(sealed);
  const listing = await listers[format](sealed, limits, pace);
  await sink(listing.contents(), pace);
  const { entries } = listing;
  return {
    format,
    digest: sealed.digest,
    files: entries.filter(isUnpacked).map(({ path, size, executable }) => ({ path, size, executable })),
    dropped: entries.filter(({ isDropped }) => isDropped).map(({ path }) => path),
  };
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

async function writeContents(
  contents: AsyncIterable<EntryContent>,
  folder: string,
  pace: Pace,
): Promise<void> {
  const made = new Set([folder]);
  try {
    for await (const content of contents) {
      await writeContent(content, folder, made, pace);
      if (pace.isDue()) await pace.rest();
    }
  } catch (error) {
    clear(folder);
    throw error instanceof SkillError
      ? error
      : ioFailure(`The archive cannot be unpacked to ${folder}.`, error);
  }
}

/** Folder chunks are read as well, because reading verifies them. */
async function writeContent(
  { entry: { kind, path, executable }, pieces }: EntryContent,
  folder: string,
  made: Set<string>,
  pace: Pace,
): Promise<void> {
  const fd = kind === "file" && path !== "" ? openNew(folder, path, made) : undefined;
  try {
    for await (const piece of pieces) {
      if (fd !== undefined) for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
      if (isDueAfter(piece, pace)) await pace.rest();
    }
    if (fd !== undefined) fchmodSync(fd, executable ? 0o755 : 0o644);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function clear(folder: string): void {
  try {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw ioFailure(`${folder} cannot be cleared of an archive that was refused.`, error);
  }
}

function ioFailure(message: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", message, { cause });
}
