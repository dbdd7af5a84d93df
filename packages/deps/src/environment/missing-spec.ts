import type { InstallWay } from "@skillhold/core/dependency";
import { isIsolated } from "./environment-folder.ts";
import { type InstallSpec, readSpec } from "./spec.ts";
import { managerOf, type SystemHost } from "./system-install.ts";

/**
 * What to install for what is missing. For a program, the skill's own way counts before a guess by its name: one that
 * needs no rights first, then that of this system. Ways that are no specs are passed over.
 */
export function specsFor(
  missing: readonly string[],
  ways: readonly InstallWay[],
  host: Pick<SystemHost, "platform" | "osRelease">,
): readonly string[] {
  const usable = ways.filter(({ os }) => os.length === 0 || os.includes(host.platform));
  const system = managerOf(host);
  const specs = missing.map((name) => {
    const found = usable
      .filter(({ programs }) => programs.includes(name))
      .map(({ spec }) => readSpec(spec))
      .filter((spec) => typeof spec !== "string");
    const byRank = (isWanted: (spec: InstallSpec) => boolean) => found.find(isWanted);
    const best =
      byRank(isIsolated) ??
      byRank(({ manager }) => manager === system) ??
      byRank(({ manager }) => manager === "go" || manager === "download");
    return best?.text ?? name;
  });
  return [...new Set(specs)];
}
