import { SkillError } from "@skillhold/protocol/error";
import { type ArchiveBytes, archiveInMemory } from "./archive-bytes.ts";
import { describeTree, readTree } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";

/** What became of an archive: `broken` says which promise was not kept. */
export type Trial =
  | { readonly outcome: "accepted"; readonly digest: string; readonly tree: readonly string[] }
  | { readonly outcome: "refused"; readonly code: string; readonly message: string }
  | { readonly outcome: "broken"; readonly why: string };

/** Unpacks an archive, and compares its files with its list. */
export async function tryArchive(
  archive: Uint8Array | ArchiveBytes,
  chunkBytes = 1024 * 1024,
): Promise<Trial> {
  const isSteady = archive instanceof Uint8Array;
  const trial = await judge(isSteady ? archiveInMemory(archive) : archive, chunkBytes);
  if (isSteady && trial.outcome === "refused" && trial.code === "IO_FAILED")
    return { outcome: "broken", why: `it failed to read what is in memory: ${trial.message}` };
  return trial;
}

async function judge(archive: ArchiveBytes, chunkBytes: number): Promise<Trial> {
  try {
    const { files, digest, tree } = await unpack(archive, { chunkBytes });
    const listed = files.map(({ path, size, executable }) => `${path} ${size} ${executable}`).sort();
    const read = readTree(tree);
    const found = read.map(({ path, content, executable }) => `${path} ${content.length} ${executable}`);
    const isAsListed = JSON.stringify(found.sort()) === JSON.stringify(listed);
    return isAsListed
      ? { outcome: "accepted", digest, tree: describeTree(read) }
      : { outcome: "broken", why: `it listed ${listed} and has ${found}` };
  } catch (error) {
    const isRefusal =
      error instanceof SkillError && ["ARCHIVE_INVALID", "LIMIT_EXCEEDED", "IO_FAILED"].includes(error.code);
    return isRefusal
      ? { outcome: "refused", code: error.code, message: error.message }
      : { outcome: "broken", why: `it threw ${error instanceof Error ? error.stack : error}` };
  }
}
