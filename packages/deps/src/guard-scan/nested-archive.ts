import { archiveInMemory, collect, listTarGz, listZip, sealArchive } from "@skillhold/core/archive";
import { Pace } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";

export interface NestedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type NestedArchive =
  | { readonly files: readonly NestedFile[]; readonly isCut: boolean }
  | { readonly problem: string; readonly isLocked: boolean };

const MAX_ARCHIVE = 10_000_000;
const MAX_FILES = 300;
const MAX_BYTES = 8_000_000;
const limits = withLimits({
  archiveBytes: 20 * 1024 * 1024,
  unpackedBytes: 50 * 1024 * 1024,
  bundleFiles: 2000,
});

/** Reads an archive that a skill ships, in memory and within bounds. Only the files that `isWanted` names are kept. */
export async function openNested(
  bytes: Uint8Array,
  format: "zip" | "gzip",
  isWanted: (path: string) => boolean,
): Promise<NestedArchive> {
  if (bytes.length > MAX_ARCHIVE)
    return { problem: `it is larger than ${MAX_ARCHIVE} bytes`, isLocked: false };
  try {
    const pace = new Pace(64);
    const sealed = await sealArchive(archiveInMemory(bytes), 4 * 1024 * 1024, pace);
    const listing = await (format === "zip" ? listZip : listTarGz)(sealed, limits, pace);
    const files: NestedFile[] = [];
    let total = 0;
    for await (const { entry, pieces } of listing.contents()) {
      const content = await collect(copies(pieces));
      if (entry.kind !== "file" || entry.path === "" || !isWanted(entry.path)) continue;
      total += content.length;
      if (files.length >= MAX_FILES || total > MAX_BYTES) return { files, isCut: true };
      files.push({ path: entry.path, bytes: content });
    }
    return { files, isCut: false };
  } catch (error) {
    if (!(error instanceof SkillError)) return { problem: "it is damaged", isLocked: false };
    return { problem: error.message, isLocked: /encrypt/i.test(error.message) };
  }
}

async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield new Uint8Array(piece);
}
