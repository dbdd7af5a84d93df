import { basename } from "node:path";
import { isIsolated } from "./environment-folder.ts";
import { type EnvironmentOwner, linkLock, readLink, removeLink, writeLink } from "./environment-link.ts";
import type { ItemResult } from "./install-group.ts";
import { withLock } from "./install-lock.ts";
import { withRecord } from "./install-record.ts";
import {
  type InstallOptions,
  type InstallPlan,
  type InstallPorts,
  type InstallReport,
  installDependencies,
} from "./installer.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

export interface SkillInstallPlan extends Omit<InstallPlan, "skill"> {
  readonly owner: EnvironmentOwner;
}

/**
 * Installs something for a skill, beside what was installed for it before, so that its runs find all of it. What was
 * there stays as it is when it cannot be installed again. Afterwards the caller surveys the skill again.
 */
export async function installForSkill(
  plan: SkillInstallPlan,
  ports: InstallPorts,
  options: InstallOptions = {},
): Promise<InstallReport> {
  if (options.dryRun === true) return await install(plan, ports, options);
  const { signal } = options;
  // Two at a time would each know only of what was there before.
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
  // It is recorded when the link is there: a record that fails takes nothing away.
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

/** What was installed before and is not asked for again, in whichever version. */
function without(before: readonly InstallSpec[], texts: readonly string[]): readonly InstallSpec[] {
  const asked = texts.map(readSpec).filter((spec) => typeof spec !== "string");
  return before.filter(
    ({ manager, name }) => !asked.some((spec) => spec.manager === manager && spec.name === name),
  );
}

function withLost(result: ItemResult, lost: readonly ItemResult[]): ItemResult {
  if (result.status !== "ok") return result;
  const names = lost.map(({ spec }) => spec).join(", ");
  const message = `${result.spec}: the environment was left as it is, because ${names} could not be installed again`;
  return { ...result, status: "failed", message };
}

/** What lies in the environment for all skills is found without a link. */
async function settle(
  owner: EnvironmentOwner,
  scope: NonNullable<InstallPlan["scope"]>,
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
