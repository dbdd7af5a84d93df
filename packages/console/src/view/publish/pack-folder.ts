import { Zip, ZipDeflate } from "fflate";
import type { FolderFile } from "./dropped.ts";

const UNIX = 3;
/** Files that all may read. */
const PLAIN = 0o100644 << 16;
const EXECUTABLE = 0o100755 << 16;

export interface PackedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly read: () => Promise<Uint8Array>;
}

/** Files as a ZIP. Others get a turn between them. */
export async function packFiles(files: readonly PackedFile[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const done = Promise.withResolvers<void>();
  const zip = new Zip((error, part, isLast) => {
    if (error !== null) done.reject(error);
    // The ZIP writer allocates its own buffers, never shared ones.
    else parts.push(part as Uint8Array<ArrayBuffer>);
    if (isLast) done.resolve();
  });
  for (const { path, executable, read } of files) {
    const entry = new ZipDeflate(path, { level: 6 });
    entry.os = UNIX;
    entry.attrs = executable ? EXECUTABLE : PLAIN;
    zip.add(entry);
    entry.push(await read(), true);
  }
  zip.end();
  await done.promise;
  return new Blob(parts, { type: "application/zip" });
}

/** A folder as a ZIP. Browsers do not say which files can be executed. */
export async function packFolder(files: readonly FolderFile[]): Promise<Blob> {
  return await packFiles(
    files.map(({ path, file }) => ({
      path,
      executable: false,
      read: async () => new Uint8Array(await file.arrayBuffer()),
    })),
  );
}
