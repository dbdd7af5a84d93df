import { type Limits, limitTable } from "@skillhold/protocol/limits";

/** An export is put together in memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/** What an export as a whole is held to, which may be all of a registry: for administrators. */
export function exchangeLimits(limits: Limits): Limits {
  return {
    ...limits,
    archiveSkills: limitTable.archiveSkills.max,
    bundleFiles: limitTable.bundleFiles.max,
    unpackedBytes: Math.max(limits.unpackedBytes, MOST_BYTES),
    archiveBytes: Math.max(limits.archiveBytes, MOST_BYTES),
  };
}
