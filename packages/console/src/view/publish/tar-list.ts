import type { ListedFile, Listing, ListingBounds } from "./listing.ts";

const BLOCK = 512;
const text = new TextDecoder();

/** Lists a tar.gz; the browser decompresses it within the bounds. */
export async function listTarGz(archive: Blob, bounds: ListingBounds): Promise<Listing> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = archive.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > bounds.unpackedBytes + BLOCK * 10_000) {
      await reader.cancel();
      throw new Error("Unpacked, it is over the gateway's limit.");
    }
    parts.push(value);
  }
  return listTar(new Uint8Array(await new Blob(parts).arrayBuffer()), bounds);
}

export function listTar(
  bytes: Uint8Array,
  { isWanted, fileBytes }: Pick<ListingBounds, "isWanted" | "fileBytes">,
): Listing {
  const files: ListedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const head = bytes.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) break;
    const size = Number.parseInt(field(head, 124, 12).trim() || "0", 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error("Not a tar file.");
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    const type = field(head, 156, 1);
    if (type === "x") longName = paxPath(content) ?? longName;
    else if (type === "L") longName = text.decode(content).replace(/\0.*$/s, "");
    else {
      if (type === "" || type === "0") {
        const path = (longName ?? nameOf(head)).replace(/^(?:\.\/)+/, "");
        const isRead = isWanted(path) && size <= fileBytes;
        files.push({ path, size, ...(isRead ? { content } : {}) });
      }
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return { files };
}

function field(head: Uint8Array, start: number, length: number): string {
  return text.decode(head.subarray(start, start + length)).replace(/\0.*$/s, "");
}

function nameOf(head: Uint8Array): string {
  const isUstar = field(head, 257, 5) === "ustar";
  const prefix = isUstar ? field(head, 345, 155) : "";
  const name = field(head, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Records of `length key=value` and a line end; the length is of the whole record in bytes. */
function paxPath(content: Uint8Array): string | undefined {
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(text.decode(content.subarray(at, at + 10)), 10);
    if (!(length > 0)) return undefined;
    const [, path] = /^\d+ path=(.*)\n$/s.exec(text.decode(content.subarray(at, at + length))) ?? [];
    if (path !== undefined) return path;
    at += length;
  }
  return undefined;
}
