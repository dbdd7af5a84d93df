import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { defaultLimits } from "@skillhold/protocol/limits";
import { pack } from "tar-stream";
import type { ArchiveFile } from "./archive-file.ts";
import { collect } from "./collect.ts";

const epoch = new Date(0);
const OPERATING_SYSTEM_AT = 9;
const UNKNOWN_SYSTEM = 255;

/**
 * Writes a tar.gz that our reader accepts: if gzip would exceed the reader's ratio limit, Huffman coding alone is
 * used, which compresses at most eightfold.
 */
export async function writeTarGz(files: readonly ArchiveFile[]): Promise<Buffer> {
  const tar = await writeTar(files);
  const best = await compress(tar, constants.Z_DEFAULT_STRATEGY);
  return tar.length > best.length * defaultLimits.archiveRatio
    ? compress(tar, constants.Z_HUFFMAN_ONLY)
    : best;
}

async function writeTar(files: readonly ArchiveFile[]): Promise<Buffer> {
  const tar = pack();
  const whole = collect(tar);
  for (const { path, executable, content } of files) {
    const mode = executable ? 0o755 : 0o644;
    tar.entry({ name: path, type: "file", mode, uid: 0, gid: 0, mtime: epoch }, content);
  }
  tar.finalize();
  return whole;
}

/** The header would name the writing system, and the bytes would differ between systems. */
async function compress(tar: Buffer, strategy: number): Promise<Buffer> {
  const bytes = await promisify(gzip)(tar, { strategy });
  bytes[OPERATING_SYSTEM_AT] = UNKNOWN_SYSTEM;
  return bytes;
}
