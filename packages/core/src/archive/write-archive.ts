import { limitTable, withLimits } from "@skillhold/protocol/limits";
import { comparePaths } from "@skillhold/skill";
import type { ArchiveFile } from "./archive-file.ts";
import { EntryList } from "./entry-list.ts";
import { rejectArchive } from "./rejection.ts";
import { writeTarGz } from "./write-tar.ts";
import { writeZip } from "./write-zip.ts";

/** A registry may be set to hold more than by default, and what it holds can be written. */
const widest = withLimits(
  Object.fromEntries(Object.entries(limitTable).map(([name, { max }]) => [name, max])),
);

/**
 * Writes files to an archive that depends on nothing else: they are sorted by path, and time, owner and mode are
 * fixed. The same files give the same bytes wherever the same compressor is at work.
 */
export async function writeArchive(
  format: "zip" | "tar.gz",
  files: readonly ArchiveFile[],
): Promise<Uint8Array> {
  rejectUnreadable(files);
  const sorted = files.toSorted((a, b) => comparePaths(a.path, b.path));
  return format === "zip" ? writeZip(sorted) : writeTarGz(sorted);
}

/** What `unpack` would refuse whatever its limits is not written. */
function rejectUnreadable(files: readonly ArchiveFile[]): void {
  const list = new EntryList(widest, Number.POSITIVE_INFINITY);
  for (const { path, content } of files) {
    const admitted = list.admit({ name: path, kind: "file", size: content.length });
    if (admitted.isDropped || admitted.path !== path)
      throw rejectArchive("name", "would not be unpacked under that name", path);
  }
  list.finish();
}
