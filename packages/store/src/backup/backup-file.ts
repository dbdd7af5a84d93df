import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { syncFolder } from "@skillhold/core/secret";
import { extract, pack } from "tar-stream";
import { type BackupEntry, backupDamaged } from "./backup-entry.ts";

/** Larger than any entry that is written; bounds the memory of a reader. */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024;

/** Writes entries to a private file. The file appears under its name only when it is complete and durable. */
export async function writeBackupFile<T>(
  path: string,
  write: (put: (entry: BackupEntry) => Promise<void>) => Promise<T>,
): Promise<T> {
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  const tar = pack();
  const written = pipeline(tar, createGzip(), createWriteStream(partial, { flags: "wx", mode: 0o600 }));
  // A failed disk fails the next entry, and is reported below.
  written.catch((error: Error) => tar.destroy(error));
  try {
    const result = await write((entry) => addEntry(tar, entry));
    tar.finalize();
    await written;
    await makeDurable(partial);
    await rename(partial, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    tar.destroy();
    await written.catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
}

async function addEntry(tar: ReturnType<typeof pack>, { name, bytes }: BackupEntry): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const header = { name, size: bytes.length, mode: 0o600, mtime: new Date(0) };
    tar.entry(header, Buffer.from(bytes), (error) => (error ? reject(error) : resolve()));
  });
}

async function makeDurable(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads the entries of a file, one at a time. */
export async function* readBackupFile(path: string): AsyncGenerator<BackupEntry> {
  const unpacked = extract();
  const reading = pipeline(createReadStream(path), createGunzip(), unpacked);
  // The loop below receives the same failure.
  reading.catch(() => {});
  try {
    for await (const entry of unpacked) {
      const { name, size = 0, type } = entry.header;
      if (type !== "file" || size > MAX_ENTRY_BYTES) throw backupDamaged(`the entry ${name} is not expected`);
      yield { name, bytes: Buffer.concat(await Readable.from(entry).toArray()) };
    }
    await reading;
  } catch (error) {
    throw isFormatError(error) ? backupDamaged("it is not a complete archive", error) : error;
  } finally {
    unpacked.destroy();
  }
}

/** Failures of the decompressor and the archive reader, as opposed to those of the disk. */
function isFormatError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  // The message of a disk error names the file, which may be called .tar.gz.
  if (/^E[A-Z0-9]+$/.test(code)) return false;
  return code.startsWith("Z_") || /tar|Unexpected end|unexpected end|Premature/i.test(error.message);
}
