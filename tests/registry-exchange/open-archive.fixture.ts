import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveInMemory, unpack } from "@skillhold/core/archive";

/** The files of an archive as text, by path. */
export async function openArchive(archive: Uint8Array): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-opened-"));
  try {
    const { files } = await unpack(archiveInMemory(archive), folder);
    return new Map(files.map(({ path }) => [path, readFileSync(join(folder, path), "utf8")]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
