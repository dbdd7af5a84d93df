export { type FsckOptions, fsck } from "./fsck.ts";
export type { FsckFinding } from "./fsck-finding.ts";
