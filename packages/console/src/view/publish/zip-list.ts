import { unzipSync } from "fflate";
import type { ListedFile, Listing, ListingBounds } from "./listing.ts";

/** Lists a ZIP and unpacks only the requested files. */
export function listZip(bytes: Uint8Array, { isWanted, fileBytes, files: most }: ListingBounds): Listing {
  const found: ListedFile[] = [];
  let read = 0;
  const texts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (name.endsWith("/")) return false;
      found.push({ path: name, size: originalSize });
      const isRead = isWanted(name) && originalSize <= fileBytes && read < most;
      read += isRead ? 1 : 0;
      return isRead;
    },
  });
  const files = found.map((file) => {
    const content = Object.hasOwn(texts, file.path) ? texts[file.path] : undefined;
    return content === undefined ? file : { ...file, content };
  });
  return { files };
}
