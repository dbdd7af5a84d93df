import { basename } from "node:path";
import type { InstallWay } from "@skillhold/core/dependency";
import { isIsolated } from "./environment-folder.ts";
import { type EnvironmentOwner, linkLock, readLink, removeLink, writeLink } from "./environment-link.ts";
import { withRecord } from "./install-clearance.ts";
import type { ItemResult } from "./install-group.ts";
import { withLock } from "./install-lock.ts";
import {
  type InstallOptions,
  type InstallPorts,
  type InstallReport,
  installDependencies,
  type PackageInstallPlan,
} from "./installer.ts";
import { type InstallSpec, readSpec } from "./spec.ts";
import { managerOf, type SystemHost } from "./system-install.ts";

export interface SkillInstallPlan extends Omit<PackageInstallPlan, "skill"> {
  readonly owner: EnvironmentOwner;
}

/**
 * Installs packages for a skill in addition to its earlier ones, so that its runs find all of them. If an
 * earlier package cannot be installed again, the previous environment stays. The caller surveys the skill
 * again afterwards.
 */
export async function installForSkill(
  plan: SkillInstallPlan,
  ports: InstallPorts,
  options: InstallOptions = {},
): Promise<InstallReport> {
  if (options.dryRun === true) return await install(plan, ports, options);
  const { signal } = options;
  // Two concurrent installations would each miss the other's packages.
  return await withLock(await linkLock(plan.owner, ports), () => install(plan, ports, options), {
    timeoutMs: ports.limits.dependencyInstallMs,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function install(
  { owner, ...plan }: SkillInstallPlan,
  ports: InstallPorts,
  options: InstallOptions,
): Promise<InstallReport> {
  const before = (await readLink(owner, ports))?.specs ?? [];
  const kept = without(before, plan.specs);
  const specs = [...kept.map(({ text }) => text), ...plan.specs];
  const isKept = ({ spec }: ItemResult) => kept.some(({ text }) => text === spec);
  const scope = plan.scope ?? "skill";
  // The record follows the link, so a failed record removes no packages.
  const report = await withRecord(scope, ports.clear, async (clear): Promise<InstallReport> => {
    const all = { ...plan, skill: owner.skill, specs };
    const { results, environment } = await installDependencies(all, { ...ports, clear }, options);
    const lost = results.filter((result) => isKept(result) && result.status === "failed");
    if (lost.length > 0) return { results: results.map((result) => withLost(result, lost)) };
    if (environment === undefined) return { results };
    if (options.dryRun !== true) await settle(owner, scope, environment, results, ports);
    return { results, environment };
  });
  return { ...report, results: report.results.filter((result) => !isKept(result)) };
}

/** The earlier specs, without those that are requested again in any version. */
function without(before: readonly InstallSpec[], texts: readonly string[]): readonly InstallSpec[] {
  const requested = texts.map(readSpec).filter((spec) => typeof spec !== "string");
  return before.filter(
    ({ manager, name }) => !requested.some((spec) => spec.manager === manager && spec.name === name),
  );
}

function withLost(result: ItemResult, lost: readonly ItemResult[]): ItemResult {
  if (result.status !== "ok") return result;
  const names = lost.map(({ spec }) => spec).join(", ");
  const message = `${result.spec}: the environment is unchanged, because ${names} could not be installed again`;
  return { ...result, status: "failed", message };
}

/** The global environment is found without a link. */
async function settle(
  owner: EnvironmentOwner,
  scope: NonNullable<PackageInstallPlan["scope"]>,
  environment: string,
  results: readonly ItemResult[],
  ports: InstallPorts,
): Promise<void> {
  if (scope === "global") return await removeLink(owner, ports);
  const good = results.filter(({ status }) => status === "ok" || status === "skipped");
  const specs = good
    .map(({ spec }) => readSpec(spec))
    .filter((spec) => typeof spec !== "string")
    .filter(isIsolated);
  await writeLink(owner, { folder: basename(environment), specs }, ports);
}

/**
 * Chooses a spec for each missing dependency. The skill's own install ways for a program come before a guess
 * by name: first one that needs no extra rights, then the system's package manager. Invalid specs are
 * skipped.
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
