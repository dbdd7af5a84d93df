import { crc32 } from "node:zlib";
import { SkillError } from "@skillhold/protocol/error";
import { Entry, type ExtraField, type LocalFileHeader, parseExtraFields, type ZipFile } from "yauzl";
import type { EntryKind } from "./archive-entry.ts";
import { rejectArchive } from "./rejection.ts";

/** A directory record of a ZIP after its own checks. */
export interface ZipClaim {
  readonly name: string;
  readonly rawName: Buffer;
  readonly kind: EntryKind;
  readonly executable: boolean;
  readonly flags: number;
  readonly method: number;
  readonly size: number;
  readonly packed: number;
  readonly checksum: number;
  /** The offset of its local header. */
  readonly start: number;
  /** Sizes and checksum follow the data, as streaming writers do. */
  readonly hasDescriptor: boolean;
}

/** A ZIP entry whose two headers agree. */
export interface ZipRecord extends ZipClaim {
  readonly dataStart: number;
  readonly dataEnd: number;
}

const ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const DESCRIPTOR = 0x0008;
/** The flags for compression level, descriptor and UTF-8 names. Every other flag changes the reading of the data. */
const KNOWN_FLAGS = 0x0006 | DESCRIPTOR | 0x0800;
const LOCAL_HEADER_BYTES = 30;
const ZIP64_EXTRA = 0x0001;
const UNICODE_PATH_EXTRA = 0x7075;

/** Contract: `directoryStart` is the end of the entries. */
export function readZipClaim(entry: Entry, directoryStart: number): ZipClaim {
  const name = decodeName(entry.fileNameRaw);
  rejectUnreadable(entry, name);
  rejectOtherName(entry.extraFields, entry.fileNameRaw, name);
  const { uncompressedSize: size, compressedSize: packed, relativeOffsetOfLocalHeader: start } = entry;
  if (start + LOCAL_HEADER_BYTES > directoryStart || packed > directoryStart) {
    throw rejectArchive("layout", "lies outside of the archive", name);
  }
  const kind = readKind(entry, name);
  if (kind === "folder" && size !== 0) throw rejectArchive("type", "is a folder with content", name);
  return {
    name,
    // A copy, because the original is a slice of the directory data.
    rawName: Buffer.from(entry.fileNameRaw),
    kind,
    executable: (entry.externalFileAttributes & (0o100 << 16)) !== 0,
    flags: entry.generalPurposeBitFlag,
    method: entry.compressionMethod,
    size,
    packed,
    checksum: entry.crc32,
    start,
    hasDescriptor: (entry.generalPurposeBitFlag & DESCRIPTOR) !== 0,
  };
}

/**
 * Locates the data of an entry by its local header, which must agree with the directory. Does not decompress the
 * data.
 */
export async function locateZipRecord(zip: ZipFile, claim: ZipClaim): Promise<ZipRecord> {
  const local = await readLocalHeader(zip, claim);
  rejectMismatch(claim, local);
  const { fileDataStart: dataStart } = local;
  return { ...claim, dataStart, dataEnd: dataStart + claim.packed };
}

/**
 * UTF-8, flagged or not: Info-ZIP and macOS do not set the flag. Another encoding gives other letters but the same
 * dots and slashes.
 */
export function decodeName(raw: Uint8Array): string {
  // Invalid UTF-8 becomes U+FFFD, which no path may contain.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw);
}

function rejectUnreadable(entry: Entry, name: string): void {
  const { generalPurposeBitFlag: flags, compressionMethod: method } = entry;
  if ((flags & ENCRYPTED) !== 0) throw rejectArchive("encrypted", "is encrypted", name);
  if ((flags & ~KNOWN_FLAGS) !== 0) throw rejectArchive("method", "has a flag that is not known", name);
  if (method !== 0 && method !== 8) {
    throw rejectArchive("method", `is compressed by method ${method}; only deflate is read`, name);
  }
  if (method === 0 && entry.compressedSize !== entry.uncompressedSize) {
    throw rejectArchive("size", "is not compressed and yet has two sizes", name);
  }
}

/** Some readers use the name in this extra field, so it must be the same. */
function rejectOtherName(extras: readonly ExtraField[], raw: Uint8Array, name: string): void {
  for (const { id, data } of extras) {
    if (id !== UNICODE_PATH_EXTRA) continue;
    const isSame =
      data.length >= 5 &&
      data[0] === 1 &&
      data.readUInt32LE(1) === crc32(raw) &&
      data.subarray(5).equals(raw);
    if (!isSame) throw rejectArchive("mismatch", "has a second name", name);
  }
}

async function readLocalHeader(zip: ZipFile, claim: ZipClaim): Promise<LocalFileHeader> {
  // The fields that yauzl needs to find the header; whole entries would fill the memory.
  const { start: relativeOffsetOfLocalHeader, packed: compressedSize } = claim;
  const entry = Object.assign(new Entry(), { relativeOffsetOfLocalHeader, compressedSize });
  try {
    return await zip.readLocalFileHeaderPromise(entry);
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw rejectArchive("layout", `has no header of its own (${messageOf(error)})`, claim.name);
  }
}

/** Times and versions may differ, because they are not used. */
function rejectMismatch(claim: ZipClaim, local: LocalFileHeader): void {
  const { name, rawName, hasDescriptor } = claim;
  const extras = readExtras(local.extraField, name);
  rejectOtherName(extras, rawName, name);
  const sizes = readLocalSizes(local, extras, name);
  // What a writer did not know yet is zero.
  const agrees = (here: number, there: number) => here === there || (hasDescriptor && here === 0);
  const isSame =
    local.fileName.equals(rawName) &&
    local.generalPurposeBitFlag === claim.flags &&
    local.compressionMethod === claim.method &&
    agrees(local.crc32, claim.checksum) &&
    agrees(sizes.packed, claim.packed) &&
    agrees(sizes.unpacked, claim.size);
  if (!isSame) throw rejectArchive("mismatch", "is described in two ways", name);
}

function readExtras(raw: Buffer, name: string): readonly ExtraField[] {
  try {
    return parseExtraFields(raw);
  } catch (error) {
    throw rejectArchive("damaged", `has a damaged header (${messageOf(error)})`, name);
  }
}

function readLocalSizes(
  { compressedSize, uncompressedSize }: LocalFileHeader,
  extras: readonly ExtraField[],
  name: string,
): { readonly packed: number; readonly unpacked: number } {
  if (compressedSize !== 0xffffffff && uncompressedSize !== 0xffffffff) {
    return { packed: compressedSize, unpacked: uncompressedSize };
  }
  const large = extras.find(({ id }) => id === ZIP64_EXTRA)?.data;
  if (large === undefined || large.length < 16) throw rejectArchive("damaged", "has no ZIP64 sizes", name);
  return { unpacked: Number(large.readBigUInt64LE(0)), packed: Number(large.readBigUInt64LE(8)) };
}

/**
 * The mode is checked for every creator system, because readers create links and devices from it. In an archive
 * without modes, only the trailing slash marks a folder.
 */
function readKind({ externalFileAttributes: attributes }: Entry, name: string): EntryKind {
  const type = (attributes >>> 16) & 0o170000;
  const isFolder = name.endsWith("/");
  if (type === 0o120000) throw rejectArchive("type", "is a link", name);
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) {
    throw rejectArchive("type", "is neither a file nor a folder", name);
  }
  const saysFolder = type === 0o040000 || (attributes & 0x10) !== 0;
  const saysFile = type === 0o100000;
  if ((saysFolder && !isFolder) || (saysFile && isFolder)) {
    throw rejectArchive(
      "type",
      "is a file by its name or a folder by its mode, or the other way round",
      name,
    );
  }
  return isFolder ? "folder" : "file";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown failure";
}
