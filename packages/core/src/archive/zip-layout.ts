import type { Pace } from "../bundle/pace.ts";
import { rejectArchive } from "./rejection.ts";
import type { SealedArchive } from "./sealed-archive.ts";
import type { ZipRecord } from "./zip-record.ts";

/**
 * Entries must be contiguous from the first byte to the directory. Overlaps would unpack bytes many times, and another
 * reader could find data in a gap.
 *
 * Contract: the records are in physical order.
 */
export async function rejectLooseLayout(
  records: readonly ZipRecord[],
  archive: SealedArchive,
  directoryStart: number,
  pace: Pace,
): Promise<void> {
  let end = 0;
  for (const [index, record] of records.entries()) {
    if (record.start > end)
      throw rejectArchive("layout", "has bytes before it that are no entry", record.name);
    const next = records[index + 1]?.start ?? directoryStart;
    if (record.dataEnd > next)
      throw rejectArchive("layout", "overlaps another entry or the directory", record.name);
    if (record.hasDescriptor) await rejectDescriptor(record, archive, next);
    end = record.hasDescriptor ? next : record.dataEnd;
    if (pace.isDue()) await pace.rest();
  }
  if (end !== directoryStart)
    throw rejectArchive("layout", "has bytes before its directory that are no entry");
}

/** Four forms exist: with or without signature, with long or short sizes. */
async function rejectDescriptor(record: ZipRecord, archive: SealedArchive, end: number): Promise<void> {
  const length = end - record.dataEnd;
  const hasSignature = length === 16 || length === 24;
  const isLong = length === 20 || length === 24;
  const isKnown = hasSignature || isLong || length === 12;
  const bytes = isKnown ? await archive.read(record.dataEnd, length) : undefined;
  if (bytes === undefined || (hasSignature && bytes.readUInt32LE(0) !== 0x08074b50)) {
    throw rejectArchive("layout", "is not followed by its sizes", record.name);
  }
  const values = bytes.subarray(hasSignature ? 4 : 0);
  const packed = isLong ? Number(values.readBigUInt64LE(4)) : values.readUInt32LE(4);
  const unpacked = isLong ? Number(values.readBigUInt64LE(12)) : values.readUInt32LE(8);
  const isSame =
    values.readUInt32LE(0) === record.checksum &&
    packed === record.dataEnd - record.dataStart &&
    unpacked === record.size;
  if (!isSame) throw rejectArchive("mismatch", "is described in two ways", record.name);
}
