import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { type ArchiveBytes, archiveInMemory } from "./archive-bytes.ts";
import { describeTree, readTree } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";

/** What became of an archive: `broken` says which promise was not kept. */
export type Trial =
  | { readonly outcome: "accepted"; readonly digest: string; readonly tree: readonly string[] }
  | { readonly outcome: "refused"; readonly code: string; readonly message: string }
  | { readonly outcome: "broken"; readonly why: string };

/** Unpacks below a place of its own, so that whatever is written anywhere in there is seen. */
export async function tryArchive(
  archive: Uint8Array | ArchiveBytes,
  base: string,
  chunkBytes = 1024 * 1024,
): Promise<Trial> {
  const place = mkdtempSync(join(base, "trial-"));
  const folder = join(place, "a", "b");
  mkdirSync(folder, { recursive: true });
  try {
    const isSteady = archive instanceof Uint8Array;
    const trial = await judge(isSteady ? archiveInMemory(archive) : archive, folder, chunkBytes);
    if (isSteady && trial.outcome === "refused" && trial.code === "IO_FAILED")
      return { outcome: "broken", why: `it failed to read what is in memory: ${trial.message}` };
    const strays = [...readdirSync(place), ...readdirSync(join(place, "a"))].filter(
      (name) => name !== "a" && name !== "b",
    );
    return strays.length === 0 ? trial : { outcome: "broken", why: `it wrote ${strays.join(", ")} outside` };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function judge(archive: ArchiveBytes, folder: string, chunkBytes: number): Promise<Trial> {
  try {
    const { files, digest } = await unpack(archive, folder, { chunkBytes });
    const listed = files.map(({ path, size, executable }) => `${path} ${size} ${executable}`).sort();
    const tree = readTree(folder);
    const found = tree.map(({ path, content, executable }) => `${path} ${content.length} ${executable}`);
    const isAsListed = JSON.stringify(found.sort()) === JSON.stringify(listed);
    return isAsListed
      ? { outcome: "accepted", digest, tree: describeTree(tree) }
      : { outcome: "broken", why: `it listed ${listed} and wrote ${found}` };
  } catch (error) {
    const isRefusal =
      error instanceof SkillError && ["ARCHIVE_INVALID", "LIMIT_EXCEEDED", "IO_FAILED"].includes(error.code);
    if (!isRefusal)
      return { outcome: "broken", why: `it threw ${error instanceof Error ? error.stack : error}` };
    const left = readdirSync(folder);
    return left.length === 0
      ? { outcome: "refused", code: error.code, message: error.message }
      : { outcome: "broken", why: `it left ${left.join(", ")}` };
  }
}
