import { ChunkReader, readTar } from "@skillhold/skill/tar";
import type { ListedFile, Listing, ListingBounds } from "./listing.ts";
import { listZip } from "./zip-list.ts";

/** Lists an archive of any supported type. Contract: the blob's type matches its bytes. */
export async function listArchive(blob: Blob, bounds: ListingBounds): Promise<Listing> {
  if (blob.type === "application/zip") return listZip(new Uint8Array(await blob.arrayBuffer()), bounds);
  const isPacked = blob.type === "application/gzip";
  const stream = isPacked ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream();
  return await listTar(readChunks(stream, bounds), bounds);
}

/** Detects the type by the first bytes, because file names are unreliable. */
export function typeOf([first, second]: Uint8Array): string {
  if (first === 0x50 && second === 0x4b) return "application/zip";
  if (first === 0x1f && second === 0x8b) return "application/gzip";
  return "application/octet-stream";
}

async function listTar(
  chunks: AsyncIterable<Uint8Array>,
  { isWanted, fileBytes, files: most }: ListingBounds,
): Promise<Listing> {
  const files: ListedFile[] = [];
  let read = 0;
  const reader = new ChunkReader(chunks);
  const isKept = ({ path, size }: { readonly path: string; readonly size: number }) =>
    isWanted(plain(path)) && size <= fileBytes && read < most;
  try {
    for await (const { kind, path, size, content } of readTar(reader, { reject, isKept })) {
      if (kind !== "file") continue;
      read += content === undefined ? 0 : 1;
      files.push({ path: plain(path), size, ...(content === undefined ? {} : { content }) });
    }
  } finally {
    await reader.close();
  }
  return { files };
}

/** The space for headers in addition to the files. */
const HEADER_BYTES = 5_000_000;

/** The chunks of a stream, until there are more bytes than the gateway accepts. */
async function* readChunks(
  stream: ReadableStream<Uint8Array>,
  { unpackedBytes }: ListingBounds,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.length;
      if (size > unpackedBytes + HEADER_BYTES) throw new Error("Unpacked, it is over the gateway's limit.");
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

function reject(_problem: string, message: string, entry?: string): Error {
  return new Error(entry === undefined ? `The archive ${message}.` : `${entry} ${message}.`);
}

/** Without the `./` that tar adds for a folder given as `.`. */
function plain(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}
