import { refuseArchive } from "./refusal.ts";
import type { Tape } from "./tape.ts";

/** A header of a tar and what follows it up to the next. */
export interface TarBlock {
  readonly kind: TarKind;
  /** As the header itself has it, for messages: an extension may give the entry another. */
  readonly name: string;
  /** Where the header begins; the content comes right after it. */
  readonly start: number;
  readonly size: number;
  /** Of extensions alone. */
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

/** True for bytes that begin with the header of a tar. */
export function isTar(bytes: Buffer): boolean {
  const magic = bytes.subarray(257, 265);
  return magic.equals(USTAR) || magic.equals(GNU);
}

/** Walks the headers in their strictest reading up to the end mark, after which there may be nothing but zeros. */
export async function* readTarBlocks(tape: Tape): AsyncGenerator<TarBlock> {
  for (;;) {
    const start = tape.position;
    const header = await tape.take(BLOCK_BYTES);
    if (start === 0 && !isTar(header)) throw refuseArchive("format", "is compressed by gzip and is no tar");
    if (header.length < BLOCK_BYTES) throw refuseArchive("damaged", "is cut off: a tar has an end mark");
    if (isZero(header)) break;
    const block = readHeader(header, start);
    const { kind, name, size } = block;
    const end = start + BLOCK_BYTES + size;
    const content = isExtension(kind) ? await tape.take(size) : NOTHING;
    if (!(await tape.skipTo(end))) throw refuseArchive("damaged", "is cut off", name);
    yield { ...block, content };
    await tape.skipTo(Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES);
  }
  await rejectMore(tape);
}

function readHeader(header: Buffer, start: number): Omit<TarBlock, "content"> {
  const name = textOf(header, 0, 100);
  rejectForeign(header, name);
  const kind = readKind(header, name);
  const size = readSize(header, kind, name);
  if (kind === "folder" && size > 0) throw refuseArchive("type", "is a folder that has content", name);
  return { kind, name, start, size };
}

/** Contract: the first block of the end mark was read. */
async function rejectMore(tape: Tape): Promise<void> {
  let length = BLOCK_BYTES;
  let hasMore = false;
  for (;;) {
    const piece = await tape.next(Number.POSITIVE_INFINITY);
    if (piece === undefined) break;
    length += piece.length;
    hasMore ||= !isZero(piece);
  }
  if (length < END_BYTES || length % BLOCK_BYTES !== 0) throw refuseArchive("damaged", "is cut off");
  if (hasMore) throw refuseArchive("layout", "goes on after its end mark");
}

function rejectForeign(header: Buffer, name: string): void {
  let sum = 0;
  for (let at = 0; at < header.length; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  if (readOctal(header, 148, 8) !== sum) throw refuseArchive("checksum", "has a damaged header", name);
  if (!isTar(header)) throw refuseArchive("format", "has a header of an unknown format", name);
}

function readKind(header: Buffer, name: string): TarKind {
  const flag = header.toString("latin1", 156, 157);
  const kind = KINDS.get(flag);
  if (kind !== undefined) return kind;
  throw flag === "1" || flag === "2"
    ? refuseArchive("type", "is a link", name)
    : refuseArchive("type", `is neither a file nor a folder (type ${JSON.stringify(flag)})`, name);
}

/** The binary notation is for sizes beyond 8 GB, which are refused anyway. */
function readSize(header: Buffer, kind: TarKind, name: string): number {
  const size = readOctal(header, 124, 12);
  if (size === undefined) throw refuseArchive("size", "has a size that is not a number", name);
  if (isExtension(kind) && size > MAX_EXTENSION_BYTES)
    throw refuseArchive("extension", "has an oversized header", name);
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
