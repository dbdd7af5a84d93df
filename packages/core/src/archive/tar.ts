import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { extract, type Header } from "tar-stream";
import type { Pace } from "../bundle/pace.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import { collect } from "./collect.ts";
import { EntryList } from "./entry-list.ts";
import { gunzip } from "./gzip.ts";
import { rejectExtensions } from "./pax.ts";
import { refuseArchive } from "./refusal.ts";
import { isTar, readTarBlocks, type TarBlock } from "./tar-block.ts";

/** What a tar needs for an entry beside its content: a header, its padding, an extension and the padding of that. */
const OVERHEAD_PER_FILE = 4096;

export async function listTarGz(
  archive: Buffer,
  limits: Limits,
  pace: Pace,
): Promise<readonly ArchiveEntry[]> {
  const maxBytes = limits.unpackedBytes + limits.bundleFiles * OVERHEAD_PER_FILE;
  const tar = await gunzip(archive, maxBytes, limits);
  if (!isTar(tar)) throw refuseArchive("format", "is compressed by gzip and is no tar");
  return listTar(tar, limits, pace);
}

/**
 * Lists a tar after every check, on all of it. The checks leave only what all readers read in one way, and then
 * tar-stream reads it: where the two do not find the same, the archive is refused.
 */
export async function listTar(tar: Buffer, limits: Limits, pace: Pace): Promise<readonly ArchiveEntry[]> {
  const blocks = rejectExtensions(readTarBlocks(tar));
  const list = new EntryList(limits, tar.length);
  const entries: ArchiveEntry[] = [];
  for await (const { header, content } of readEntries(tar)) {
    const entry = readEntry(header, content, blocks[entries.length], list);
    entries.push(entry);
    if (pace.isDue()) await pace.rest();
  }
  if (entries.length !== blocks.length)
    throw refuseArchive("mismatch", "has entries that are read in two ways");
  list.finish();
  return entries;
}

function readEntry(
  header: Header,
  content: Uint8Array,
  block: TarBlock | undefined,
  list: EntryList,
): ArchiveEntry {
  const { name, mode } = header;
  const kind = header.type === "directory" ? "folder" : "file";
  const size = content.length;
  if (block === undefined || block.kind !== kind || !block.content.equals(content)) {
    throw refuseArchive("mismatch", "is read in two ways", name);
  }
  const admitted = list.admit({ name, kind, size });
  const executable = kind === "file" && (mode & 0o100) !== 0;
  return { ...admitted, kind, size, executable, read: async () => content };
}

async function* readEntries(
  tar: Buffer,
): AsyncGenerator<{ readonly header: Header; readonly content: Uint8Array }> {
  const reader = extract();
  reader.end(tar);
  try {
    for await (const entry of reader) yield { header: entry.header, content: await collect(entry) };
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw refuseArchive(
      "damaged",
      `cannot be read (${error instanceof Error ? error.message : "unknown failure"})`,
    );
  }
}
