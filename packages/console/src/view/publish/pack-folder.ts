import { Zip, ZipDeflate } from "fflate";
import type { FolderFile } from "./dropped.ts";

const UNIX = 3;
/** A plain file that all may read. Whether it can be executed, browsers do not say. */
const MODE = 0o100644 << 16;

/** A folder as a ZIP. Others get a turn between its files. */
export async function packFolder(files: readonly FolderFile[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const done = Promise.withResolvers<void>();
  const zip = new Zip((error, part, isLast) => {
    if (error !== null) done.reject(error);
    // The ZIP writer allocates its own buffers, never shared ones.
    else parts.push(part as Uint8Array<ArrayBuffer>);
    if (isLast) done.resolve();
  });
  for (const { path, file } of files) {
    const entry = new ZipDeflate(path, { level: 6 });
    entry.os = UNIX;
    entry.attrs = MODE;
    zip.add(entry);
    entry.push(new Uint8Array(await file.arrayBuffer()), true);
  }
  zip.end();
  await done.promise;
  return new Blob(parts, { type: "application/zip" });
}
