import { limitTable, withLimits } from "@skillhold/protocol/limits";

/** The highest settable limits, because users export and import their own whole store. */
export const wholeStoreLimits = withLimits({
  archiveBytes: limitTable.archiveBytes.max,
  unpackedBytes: limitTable.unpackedBytes.max,
  bundleFiles: limitTable.bundleFiles.max,
  archiveSkills: limitTable.archiveSkills.max,
});
