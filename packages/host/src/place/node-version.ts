import { SkillError } from "@skillhold/protocol/error";

/** The oldest Node that has everything Skillhold uses, such as SQLite. */
export const MIN_NODE = "22.18";

export function isSupportedNode(version: string): boolean {
  const [minMajor = 0, minMinor = 0] = MIN_NODE.split(".").map(Number);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

/** Throws NODE_UNSUPPORTED on a Node that is too old. */
export function rejectOldNode(version: string): void {
  if (isSupportedNode(version)) return;
  throw new SkillError("NODE_UNSUPPORTED", `Skillhold needs Node ${MIN_NODE} or later; this is ${version}.`, {
    details: { version },
  });
}
