import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { rejectFilled, writeNew } from "../bundle/copy.ts";
import { Pace } from "../bundle/pace.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import { exceedsLimit, refuseArchive } from "./refusal.ts";
import { listTar, listTarGz } from "./tar.ts";
import { isTar } from "./tar-block.ts";
import { listZip } from "./zip.ts";

export type ArchiveFormat = "zip" | "tar.gz" | "tar";

export interface UnpackOptions {
  readonly limits?: Limits;
  readonly signal?: AbortSignal;
}

export interface UnpackedArchive {
  readonly format: ArchiveFormat;
  /** In the order of the archive. */
  readonly files: readonly UnpackedFile[];
  /** What a Mac had put in and was not unpacked. */
  readonly dropped: readonly string[];
}

export interface UnpackedFile {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
}

/** Entries that are handled before others get a turn, and the bytes that count as one more. */
const ENTRIES_BETWEEN_RESTS = 128;
const BYTES_PER_ENTRY = 32 * 1024;

/**
 * Unpacks an archive into an empty folder: all of it, or nothing and a failure that names the entry. Everything that
 * can be known without inflating is checked for every entry before the first file is written; sizes and checksums
 * are checked as the files are. Folders that are empty are not made.
 */
export async function unpack(
  archive: Uint8Array,
  folder: string,
  options: UnpackOptions = {},
): Promise<UnpackedArchive> {
  const limits = options.limits ?? defaultLimits;
  const pace = new Pace(ENTRIES_BETWEEN_RESTS, options.signal);
  pace.stopIfAborted();
  rejectFilled(folder);
  if (archive.length > limits.archiveBytes) {
    throw exceedsLimit("archiveBytes", limits, `is larger than ${limits.archiveBytes} bytes`);
  }
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.length);
  const format = formatOf(bytes);
  const entries = await listers[format](bytes, limits, pace);
  await writeEntries(entries, folder, pace);
  return {
    format,
    files: entries.filter(isUnpacked).map(({ path, size, executable }) => ({ path, size, executable })),
    dropped: entries.filter(({ isDropped }) => isDropped).map(({ path }) => path),
  };
}

type Lister = (archive: Buffer, limits: Limits, pace: Pace) => Promise<readonly ArchiveEntry[]>;

const listers: Readonly<Record<ArchiveFormat, Lister>> = { zip: listZip, "tar.gz": listTarGz, tar: listTar };

/** By the first bytes: names and media types say what a sender likes. */
function formatOf(archive: Buffer): ArchiveFormat {
  const start = archive.toString("latin1", 0, 4);
  if (start === "PK\x03\x04" || start === "PK\x05\x06") return "zip";
  if (start.startsWith("\x1f\x8b\x08")) return "tar.gz";
  if (isTar(archive)) return "tar";
  throw refuseArchive("format", "is neither a ZIP nor a tar, compressed by gzip or not");
}

function isUnpacked({ kind, isDropped }: ArchiveEntry): boolean {
  return kind === "file" && !isDropped;
}

async function writeEntries(entries: readonly ArchiveEntry[], folder: string, pace: Pace): Promise<void> {
  const made = new Set([folder]);
  try {
    for (const entry of entries) {
      if (entry.isDropped) continue;
      const content = await entry.read();
      if (entry.kind === "file" && entry.path !== "")
        writeNew(folder, entry.path, content, entry.executable ? 0o755 : 0o644, made);
      if (pace.isDue(1 + content.length / BYTES_PER_ENTRY)) await pace.rest();
    }
  } catch (error) {
    clear(folder);
    throw error instanceof SkillError
      ? error
      : ioFailure(`The archive cannot be unpacked to ${folder}.`, error);
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
