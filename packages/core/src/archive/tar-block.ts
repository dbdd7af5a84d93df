import type { ChunkReader } from "./chunk-reader.ts";
import { rejectArchive } from "./rejection.ts";

/** A tar header and its content. */
export interface TarBlock {
  readonly kind: TarKind;
  /** The name in the header, for messages; an extension may set another. */
  readonly name: string;
  /** The offset of the header; the content follows it. */
  readonly start: number;
  readonly size: number;
  /** Only for extensions. */
  readonly content: Buffer;
}

/** `global` and `pax` are extensions in pax format, `long-name` is GNU's. */
export type TarKind = "file" | "folder" | "global" | "pax" | "long-name";

export const BLOCK_BYTES = 512;
const END_BYTES = 2 * BLOCK_BYTES;
const MAX_EXTENSION_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const USTAR = Buffer.from("ustar\x0000", "latin1");
const GNU = Buffer.from("ustar  \0", "latin1");
const KINDS: ReadonlyMap<string, TarKind> = new Map([
  ["0", "file"],
  ["\0", "file"],
  ["5", "folder"],
  ["g", "global"],
  ["x", "pax"],
  ["L", "long-name"],
]);

/** True for bytes that start with a tar header. */
export function isTar(bytes: Buffer): boolean {
  const magic = bytes.subarray(257, 265);
  return magic.equals(USTAR) || magic.equals(GNU);
}

/** Reads the headers in the strictest way up to the end mark, after which only zeros may follow. */
export async function* readTarBlocks(reader: ChunkReader): AsyncGenerator<TarBlock> {
  for (;;) {
    const start = reader.position;
    const header = await reader.take(BLOCK_BYTES);
    if (start === 0 && !isTar(header)) throw rejectArchive("format", "is gzip data but not a tar");
    if (header.length < BLOCK_BYTES) throw rejectArchive("damaged", "is truncated: the end mark is missing");
    if (isZero(header)) break;
    const block = readHeader(header, start);
    const { kind, name, size } = block;
    const end = start + BLOCK_BYTES + size;
    const content = isExtension(kind) ? await reader.take(size) : NOTHING;
    if (!(await reader.skipTo(end))) throw rejectArchive("damaged", "is truncated", name);
    yield { ...block, content };
    await reader.skipTo(Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES);
  }
  await rejectMore(reader);
}

function readHeader(header: Buffer, start: number): Omit<TarBlock, "content"> {
  const name = textOf(header, 0, 100);
  rejectForeign(header, name);
  const kind = readKind(header, name);
  const size = readSize(header, kind, name);
  if (kind === "folder" && size > 0) throw rejectArchive("type", "is a folder with content", name);
  return { kind, name, start, size };
}

/** Contract: the first block of the end mark was read. */
async function rejectMore(reader: ChunkReader): Promise<void> {
  let length = BLOCK_BYTES;
  let hasMore = false;
  for (;;) {
    const piece = await reader.next(Number.POSITIVE_INFINITY);
    if (piece === undefined) break;
    length += piece.length;
    hasMore ||= !isZero(piece);
  }
  if (length < END_BYTES || length % BLOCK_BYTES !== 0) throw rejectArchive("damaged", "is truncated");
  if (hasMore) throw rejectArchive("layout", "has trailing data after its end mark");
}

function rejectForeign(header: Buffer, name: string): void {
  let sum = 0;
  for (let at = 0; at < header.length; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  if (readOctal(header, 148, 8) !== sum) throw rejectArchive("checksum", "has a damaged header", name);
  if (!isTar(header)) throw rejectArchive("format", "has a header of an unknown format", name);
}

function readKind(header: Buffer, name: string): TarKind {
  const flag = header.toString("latin1", 156, 157);
  const kind = KINDS.get(flag);
  if (kind !== undefined) return kind;
  throw flag === "1" || flag === "2"
    ? rejectArchive("type", "is a link", name)
    : rejectArchive("type", `is neither a file nor a folder (type ${JSON.stringify(flag)})`, name);
}

/** Binary sizes are for files over 8 GB, which are rejected anyway. */
function readSize(header: Buffer, kind: TarKind, name: string): number {
  const size = readOctal(header, 124, 12);
  if (size === undefined) throw rejectArchive("size", "has a size that is not a number", name);
  if (isExtension(kind) && size > MAX_EXTENSION_BYTES)
    throw rejectArchive("extension", "has an oversized header", name);
  return size;
}

function isExtension(kind: TarKind): boolean {
  return kind !== "file" && kind !== "folder";
}

function readOctal(header: Buffer, start: number, length: number): number | undefined {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(header.toString("latin1", start, start + length))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function textOf(header: Buffer, start: number, length: number): string {
  const text = header.toString("utf8", start, start + length);
  const end = text.indexOf("\0");
  return end === -1 ? text : text.slice(0, end);
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
