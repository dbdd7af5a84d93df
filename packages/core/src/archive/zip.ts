import { crc32 } from "node:zlib";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { fromBufferPromise } from "yauzl";
import type { Pace } from "../bundle/pace.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import { EntryList, maxEntries } from "./entry-list.ts";
import { inflate } from "./inflate.ts";
import { exceedsLimit, refuseArchive } from "./refusal.ts";
import { readZipEnd, type ZipEnd } from "./zip-end.ts";
import { rejectLooseLayout } from "./zip-layout.ts";
import { decodeName, readZipRecord, type ZipRecord } from "./zip-record.ts";

/** Lists a ZIP after every check that needs no inflating, on all of it. */
export async function listZip(archive: Buffer, limits: Limits, pace: Pace): Promise<readonly ArchiveEntry[]> {
  const end = readZipEnd(archive);
  const max = maxEntries(limits);
  if (end.count > max) throw exceedsLimit("bundleFiles", limits, `has more than ${max} entries`);
  const list = new EntryList(limits, archive.length);
  const entries: ArchiveEntry[] = [];
  const records: ZipRecord[] = [];
  for await (const record of readRecords(archive, end)) {
    const { name, kind, size, executable, dataStart, dataEnd } = record;
    const admitted = list.admit({ name, kind, size, packed: dataEnd - dataStart });
    records.push(record);
    entries.push({ ...admitted, kind, size, executable, read: () => readContent(archive, record) });
    if (pace.isDue()) await pace.rest();
  }
  rejectLooseLayout(records, archive, end.start);
  list.finish();
  return entries;
}

/** The directory must hold the records it says it has and nothing else. */
async function* readRecords(archive: Buffer, end: ZipEnd): AsyncGenerator<ZipRecord> {
  let at = end.start;
  try {
    const zip = await fromBufferPromise(archive, { decodeStrings: false, validateEntrySizes: false });
    for await (const entry of zip.eachEntry()) {
      const record = await readZipRecord(zip, entry, end.start);
      at += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      yield record;
    }
  } catch (error) {
    if (error instanceof SkillError) throw error;
    const why = error instanceof Error ? error.message : "unknown failure";
    throw refuseArchive("damaged", `cannot be read (${why})`, nameAt(archive, at, end.end));
  }
  if (at !== end.end) {
    throw refuseArchive("layout", "is not counted in the end record", nameAt(archive, at, end.end));
  }
}

/** The name in the directory record at a place, if there is one. */
function nameAt(archive: Buffer, at: number, end: number): string | undefined {
  if (at + 46 > end || archive.readUInt32LE(at) !== 0x02014b50) return undefined;
  return decodeName(archive.subarray(at + 46, Math.min(end, at + 46 + archive.readUInt16LE(at + 28))));
}

async function readContent(archive: Buffer, record: ZipRecord): Promise<Uint8Array> {
  const { name, size, checksum, isDeflated, dataStart, dataEnd } = record;
  const data = archive.subarray(dataStart, dataEnd);
  const bytes = isDeflated ? await inflateEntry(data, size, name) : data;
  if (bytes.length !== size) throw refuseArchive("size", "has another size than it says", name);
  if (crc32(bytes) !== checksum) throw refuseArchive("checksum", "has another checksum than it says", name);
  return bytes;
}

async function inflateEntry(data: Uint8Array, size: number, name: string): Promise<Uint8Array> {
  const inflation = await inflate(data, size);
  if ("problem" in inflation) {
    throw inflation.problem === "too-large"
      ? refuseArchive("size", "unpacks to more bytes than it says", name)
      : refuseArchive("damaged", "has damaged data", name);
  }
  if (inflation.consumed !== data.length) throw refuseArchive("damaged", "has bytes after its data", name);
  return inflation.bytes;
}
