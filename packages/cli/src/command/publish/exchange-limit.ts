import { limitTable, withLimits } from "@skillhold/protocol/limits";

/** A whole store is passed on at once by its own user, and so as much is taken as can be set at all. */
export const wholeStoreLimits = withLimits({
  archiveBytes: limitTable.archiveBytes.max,
  unpackedBytes: limitTable.unpackedBytes.max,
  bundleFiles: limitTable.bundleFiles.max,
  archiveSkills: limitTable.archiveSkills.max,
});
