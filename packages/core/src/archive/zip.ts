import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from "yauzl";
import type { Pace } from "../bundle/pace.ts";
import type { ArchiveEntry, ArchiveListing } from "./archive-entry.ts";
import { EntryList, maxEntries } from "./entry-list.ts";
import { exceedsLimit, rejectArchive } from "./rejection.ts";
import type { SealedArchive } from "./sealed-archive.ts";
import { type LocatedEntry, readZipContents } from "./zip-content.ts";
import { readZipEnd, type ZipEnd } from "./zip-end.ts";
import { rejectLooseLayout } from "./zip-layout.ts";
import { decodeName, locateZipRecord, readZipClaim, type ZipClaim } from "./zip-record.ts";

/**
 * Lists a ZIP after every check without decompression. Entries are visited in physical order, because a directory in
 * another order could make a small archive be read a thousand times.
 */
export async function listZip(archive: SealedArchive, limits: Limits, pace: Pace): Promise<ArchiveListing> {
  const end = await readZipEnd(archive);
  const max = maxEntries(limits);
  if (end.count > max) throw exceedsLimit("bundleFiles", limits, `has more than ${max} entries`);
  const zip = await openZip(archive);
  const list = new EntryList(limits, archive.size);
  const claimed: ClaimedEntry[] = [];
  for await (const claim of readClaims(archive, zip, end)) {
    const { name, kind, size, packed, executable } = claim;
    const admitted = list.admit({ name, kind, size, packed });
    claimed.push({ claim, entry: { ...admitted, kind, size, executable } });
    if (pace.isDue()) await pace.rest();
  }
  const located: LocatedEntry[] = [];
  for (const { claim, entry } of claimed.toSorted((a, b) => a.claim.start - b.claim.start)) {
    located.push({ record: await locateZipRecord(zip, claim), entry });
    if (pace.isDue()) await pace.rest();
  }
  const records = located.map(({ record }) => record);
  await rejectLooseLayout(records, archive, end.start, pace);
  list.finish();
  return { entries: claimed.map(({ entry }) => entry), contents: () => readZipContents(located, archive) };
}

interface ClaimedEntry {
  readonly claim: ZipClaim;
  readonly entry: ArchiveEntry;
}

async function openZip(archive: SealedArchive): Promise<ZipFile> {
  const options = { decodeStrings: false, validateEntrySizes: false, autoClose: false };
  try {
    return await fromRandomAccessReaderPromise(new ZipReader(archive), archive.size, options);
  } catch (error) {
    throw error instanceof SkillError ? error : damaged(error);
  }
}

/** The directory must contain exactly the announced records. */
async function* readClaims(archive: SealedArchive, zip: ZipFile, end: ZipEnd): AsyncGenerator<ZipClaim> {
  let at = end.start;
  try {
    for await (const entry of zip.eachEntry()) {
      const claim = readZipClaim(entry, end.start);
      at += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      yield claim;
    }
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw damaged(error, await findNameAt(archive, at, end.end));
  }
  if (at !== end.end) {
    throw rejectArchive("layout", "is not counted in the end record", await findNameAt(archive, at, end.end));
  }
}

function damaged(error: unknown, entry?: string): SkillError {
  const why = error instanceof Error ? error.message : "unknown failure";
  return rejectArchive("damaged", `cannot be read (${why})`, entry);
}

/** The name in the directory record at an offset, if any. */
async function findNameAt(archive: SealedArchive, at: number, end: number): Promise<string | undefined> {
  if (at + 46 > end) return undefined;
  const record = await archive.read(at, 46);
  if (record.readUInt32LE(0) !== 0x02014b50) return undefined;
  return decodeName(await archive.read(at + 46, Math.min(end - at - 46, record.readUInt16LE(28))));
}

/** Lets yauzl read from a sealed archive. It opens no streams, because we locate the data. */
export class ZipReader extends RandomAccessReader {
  readonly #archive: SealedArchive;

  constructor(archive: SealedArchive) {
    super();
    this.#archive = archive;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#fill(buffer.subarray(offset, offset + length), position).then(() => callback(null), callback);
  }

  async #fill(into: Buffer, position: number): Promise<void> {
    if (position + into.length > this.#archive.size) throw new RangeError("unexpected end of the archive");
    into.set(await this.#archive.read(position, into.length));
  }
}
