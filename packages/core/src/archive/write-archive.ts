import { limitTable, withLimits } from "@skillhold/protocol/limits";
import { comparePaths } from "@skillhold/skill";
import type { ArchiveFile } from "./archive-file.ts";
import { EntryList } from "./entry-list.ts";
import { rejectArchive } from "./rejection.ts";
import { writeTarGz } from "./write-tar.ts";
import { writeZip } from "./write-zip.ts";

/** A registry may have higher limits, and its content must be writable. */
const widest = withLimits(
  Object.fromEntries(Object.entries(limitTable).map(([name, { max }]) => [name, max])),
);

/**
 * Writes a reproducible archive: sorted paths, fixed times, owners and modes. The same files give the same bytes with
 * the same compressor.
 */
export async function writeArchive(
  format: "zip" | "tar.gz",
  files: readonly ArchiveFile[],
): Promise<Uint8Array> {
  rejectUnreadable(files);
  const sorted = files.toSorted((a, b) => comparePaths(a.path, b.path));
  return format === "zip" ? writeZip(sorted) : writeTarGz(sorted);
}

/** Rejects names that `unpack` always rejects. */
function rejectUnreadable(files: readonly ArchiveFile[]): void {
  const list = new EntryList(widest, Number.POSITIVE_INFINITY);
  for (const { path, content } of files) {
    const admitted = list.admit({ name: path, kind: "file", size: content.length });
    if (admitted.isDropped || admitted.path !== path)
      throw rejectArchive("name", "would not be unpacked under that name", path);
  }
  list.finish();
}
