import type { ChunkReader } from "./chunk-reader.ts";
import { type RejectEntry, readLongName, readPaxPath, type TarProblem } from "./extension.ts";

/** A file or folder of a tar. */
export interface TarBlock {
  readonly kind: "file" | "folder";
  /** As in the tar: not normalized, and not checked. */
  readonly path: string;
  /** The offset of the header; the content follows it. */
  readonly start: number;
  readonly size: number;
  /** Of a file that `isKept` accepts. */
  readonly content?: Uint8Array;
}

/** `global` and `pax` are extensions in pax format, `long-name` is GNU's. */
type TarKind = "file" | "folder" | "global" | "pax" | "long-name";

export interface TarOptions {
  /** Makes the error for a rejected tar. */
  readonly reject: (problem: TarProblem, message: string, entry?: string) => Error;
  /** Whether the content of a file is read; by default none is. */
  readonly isKept?: (file: Pick<TarBlock, "path" | "size">) => boolean;
}

interface TarHeader {
  readonly kind: TarKind;
  /** The name in the header, for messages; an extension may set another. */
  readonly name: string;
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

export const BLOCK_BYTES = 512;
const END_BYTES = 2 * BLOCK_BYTES;
const MAX_EXTENSION_BYTES = 1024 * 1024;
const USTAR = "ustar\x0000";
const GNU = "ustar  \0";
const KINDS: ReadonlyMap<string, TarKind> = new Map([
  ["0", "file"],
  ["\0", "file"],
  ["5", "folder"],
  ["g", "global"],
  ["x", "pax"],
  ["L", "long-name"],
]);
// A byte order mark is part of a name.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** True for bytes that start with a tar header. */
export function isTar(bytes: Uint8Array): boolean {
  const magic = asciiOf(bytes, 257, 8);
  return magic === USTAR || magic === GNU;
}

/**
 * Reads a tar in the strictest way up to the end mark, after which only zeros may follow. An entry may have one extension,
 * which may set only its name. A global extension may not set a name; git archives use one to store the commit.
 */
export async function* readTar(reader: ChunkReader, options: TarOptions): AsyncGenerator<TarBlock> {
  const { reject, isKept = () => false } = options;
  let extension: (TarHeader & { readonly set: string | undefined }) | undefined;
  for (;;) {
    const header = await readHeader(reader, options);
    if (header === undefined) break;
    const { kind, name, start, size } = header;
    const end = start + BLOCK_BYTES + size;
    const isEntry = kind === "file" || kind === "folder";
    if (extension !== undefined && !isEntry)
      throw reject("extension", "is not followed by an entry", extension.name);
    const path = extension?.set ?? header.path;
    const isRead = !isEntry || (kind === "file" && isKept({ path, size }));
    const content = isRead ? await reader.take(size) : undefined;
    if (!(await reader.skipTo(end))) throw reject("damaged", "is truncated", name);
    if (isEntry) yield { kind, path, start, size, ...(content === undefined ? {} : { content }) };
    const set = content === undefined || isEntry ? undefined : readExtension(header, content, options);
    extension = kind === "pax" || kind === "long-name" ? { ...header, set } : undefined;
    await reader.skipTo(Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES);
  }
  if (extension !== undefined) throw reject("extension", "is not followed by an entry", extension.name);
  await rejectMore(reader, options);
}

/** The path that an extension sets, if any. */
function readExtension(
  { kind, name }: TarHeader,
  content: Uint8Array,
  { reject }: TarOptions,
): string | undefined {
  const rejectIt = (problem: TarProblem, message: string) => reject(problem, message, name);
  return kind === "long-name"
    ? readLongName(content, rejectIt)
    : readPaxPath(content, kind === "global", rejectIt);
}

/** Undefined at the end mark. */
async function readHeader(reader: ChunkReader, { reject }: TarOptions): Promise<TarHeader | undefined> {
  const start = reader.position;
  const header = await reader.take(BLOCK_BYTES);
  if (start === 0 && !isTar(header)) throw reject("format", "is gzip data but not a tar");
  if (header.length < BLOCK_BYTES) throw reject("damaged", "is truncated: the end mark is missing");
  if (isZero(header)) return undefined;
  const name = textOf(header, 0, 100);
  const rejectIt = (problem: TarProblem, message: string) => reject(problem, message, name);
  rejectForeign(header, rejectIt);
  const kind = readKind(header, rejectIt);
  const size = readSize(header, kind, rejectIt);
  if (kind === "folder" && size > 0) throw rejectIt("type", "is a folder with content");
  return { kind, name, path: pathOf(header, name), start, size };
}

/** Only the standard format has a prefix; GNU's has times in its place. */
function pathOf(header: Uint8Array, name: string): string {
  const prefix = asciiOf(header, 257, 8) === USTAR ? textOf(header, 345, 155) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Contract: the first block of the end mark was read. */
async function rejectMore(reader: ChunkReader, { reject }: TarOptions): Promise<void> {
  let length = BLOCK_BYTES;
  let hasMore = false;
  for (;;) {
    const piece = await reader.next(Number.POSITIVE_INFINITY);
    if (piece === undefined) break;
    length += piece.length;
    hasMore ||= !isZero(piece);
  }
  if (length < END_BYTES || length % BLOCK_BYTES !== 0) throw reject("damaged", "is truncated");
  if (hasMore) throw reject("layout", "has trailing data after its end mark");
}

function rejectForeign(header: Uint8Array, reject: RejectEntry): void {
  let sum = 0;
  for (let at = 0; at < header.length; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  if (readOctal(header, 148, 8) !== sum) throw reject("checksum", "has a damaged header");
  if (!isTar(header)) throw reject("format", "has a header of an unknown format");
}

function readKind(header: Uint8Array, reject: RejectEntry): TarKind {
  const flag = asciiOf(header, 156, 1);
  const kind = KINDS.get(flag);
  if (kind !== undefined) return kind;
  throw flag === "1" || flag === "2"
    ? reject("type", "is a link")
    : reject("type", `is neither a file nor a folder (type ${JSON.stringify(flag)})`);
}

/** Binary sizes are for files over 8 GB, which are rejected anyway. */
function readSize(header: Uint8Array, kind: TarKind, reject: RejectEntry): number {
  const size = readOctal(header, 124, 12);
  if (size === undefined) throw reject("size", "has a size that is not a number");
  const isExtension = kind !== "file" && kind !== "folder";
  if (isExtension && size > MAX_EXTENSION_BYTES) throw reject("extension", "has an oversized header");
  return size;
}

function readOctal(header: Uint8Array, start: number, length: number): number | undefined {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(asciiOf(header, start, length))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 8);
}

function asciiOf(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

function textOf(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return utf8.decode(end === -1 ? field : field.subarray(0, end));
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
