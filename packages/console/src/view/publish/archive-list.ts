import type { Listing, ListingBounds } from "./listing.ts";
import { listTar, listTarGz } from "./tar-list.ts";
import { listZip } from "./zip-list.ts";

/** Lists an archive of any supported type. Contract: the blob's type matches its bytes. */
export async function listArchive(blob: Blob, bounds: ListingBounds): Promise<Listing> {
  if (blob.type === "application/gzip") return await listTarGz(blob, bounds);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return blob.type === "application/zip" ? listZip(bytes, bounds) : listTar(bytes, bounds);
}

/** Detects the type by the first bytes, because file names are unreliable. */
export function typeOf([first, second]: Uint8Array): string {
  if (first === 0x50 && second === 0x4b) return "application/zip";
  if (first === 0x1f && second === 0x8b) return "application/gzip";
  return "application/octet-stream";
}
