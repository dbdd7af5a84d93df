import { defaultLimits } from "@skillhold/protocol/limits";
import { fromBufferPromise } from "yauzl";
import { ZipFile } from "yazl";
import type { ArchiveFile } from "./archive-file.ts";
import { collect } from "./collect.ts";

/** Writes a ZIP that our reader accepts: a file that would exceed the ratio limit is stored uncompressed. */
export async function writeZip(files: readonly ArchiveFile[]): Promise<Buffer> {
  const archive = await writeOnce(files, new Set());
  const stored = await findOverCompressed(archive);
  return stored.size === 0 ? archive : writeOnce(files, stored);
}

async function writeOnce(files: readonly ArchiveFile[], stored: ReadonlySet<string>): Promise<Buffer> {
  const zip = new ZipFile();
  // Local time, as in ZIP: the same bytes in every zone.
  const mtime = new Date(1980, 0, 1);
  for (const { path, executable, content } of files) {
    zip.addBuffer(Buffer.from(content.buffer, content.byteOffset, content.length), path, {
      mtime,
      forceDosTimestamp: true,
      mode: executable ? 0o100755 : 0o100644,
      compress: content.length > 0 && !stored.has(path),
    });
  }
  zip.end();
  return collect(zip.outputStream);
}

async function findOverCompressed(archive: Buffer): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  const zip = await fromBufferPromise(archive);
  for await (const { fileName, uncompressedSize, compressedSize } of zip.eachEntry()) {
    if (uncompressedSize > compressedSize * defaultLimits.archiveRatio) paths.add(fileName);
  }
  return paths;
}
