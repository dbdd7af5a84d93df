import type { SandboxPaths, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow, SKILL, WORK } from "./bubblewrap-option.ts";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];

/** Where the things of a run lie in a root of our making. */
export function sandboxPaths(spec: SandboxSpec): SandboxPaths {
  const placed = [...(spec.runtimes ?? []), ...spec.mounts, { source: spec.skill, target: SKILL }];
  return {
    skill: SKILL,
    work: WORK,
    of: (hostPath) => {
      const found = placed.find(({ source }) => isBelow(hostPath, source));
      if (found !== undefined) return `${found.target}${hostPath.slice(found.source.length)}`;
      if (SYSTEM.some((folder) => isBelow(hostPath, folder))) return hostPath;
      throw new SkillError("INTERNAL", `${hostPath} is not in the sandbox.`, { details: { path: hostPath } });
    },
  };
}
