import {
  type InstallEvent,
  type ItemResult,
  installClearance,
  installForSkill,
  specsFor,
} from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyContext } from "./dependency-context.ts";
import type { InstallTarget } from "./install-target.ts";
import type { DependencyProgress } from "./progress.ts";
import type { CheckedSkill } from "./skill-checks.ts";

/** The user who approves the installation. */
export interface InstallActor {
  readonly by: string;
}

export interface InstalledItem extends Pick<ItemResult, "spec" | "status" | "message"> {
  readonly skill: string;
}

/**
 * Installs these specs for a skill with the approval of the caller, when the policy allows it. A started installation
 * continues after its client disconnects and ends only when the gateway shuts down.
 */
export async function installSpecs(
  target: InstallTarget,
  specs: readonly string[],
  { by }: InstallActor,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  const { id, trust, treeHash, needs, currentHash } = target;
  const { dependencies, registry, audit, approvals, closing, progress } = context;
  const { clock, ids, limits } = registry;
  const cancel = closing === undefined ? {} : { signal: closing };
  const clear = installClearance(
    { entry: { id, trust }, treeHash },
    {
      ...{ clock, ids, audit, limits, approvals, treeHash: currentHash, ...cancel },
      asker: { ask: async () => ({ answer: "approve", scope: "once", by }) },
    },
  );
  const { home, host, findRuntime, sandbox } = dependencies;
  const { results } = await installForSkill(
    { owner: { skill: id, needs }, specs },
    { home, host, findRuntime, sandbox, limits, clear },
    { ...cancel, onProgress: (event) => publishItem(event, progress) },
  );
  return results.map(({ spec, status, message }) => ({ skill: id, spec, status, message }));
}

/** Publishes the items of an installation; the caller publishes its start and end. */
function publishItem(event: InstallEvent, progress: DependencyProgress): void {
  if (event.type === "skill.dep.item.installing")
    progress.publish({ type: event.type, slug: event.skill, dep: event.dep });
  if (event.type === "skill.dep.item.installed") {
    const { type, skill, dep, ok, error } = event;
    progress.publish({ type, slug: skill, dep, ok, ...(error === undefined ? {} : { error }) });
  }
}

/** The result of an installation for several skills. */
export interface InstalledAll {
  readonly results: readonly InstalledItem[];
  readonly system: readonly string[];
  readonly pip: readonly string[];
  readonly npm: readonly string[];
  readonly errors: readonly string[];
}

/** Installs the missing dependencies of these skills. A failure for one skill does not stop the others. */
export async function installMissing(
  targets: readonly InstallTarget[],
  actor: InstallActor,
  context: DependencyContext,
): Promise<InstalledAll> {
  const plan: { readonly target: InstallTarget; readonly specs: readonly string[] }[] = [];
  for (const target of targets) {
    const specs = missingSpecs(target, await target.check(), context);
    if (specs.length > 0) plan.push({ target, specs });
  }
  if (plan.length === 0) return summarize([]);
  const deps = [...new Set(plan.flatMap(({ specs }) => specs))];
  context.progress.publish({ type: "skill.deps.installing", deps });
  const results: InstalledItem[] = [];
  for (const { target, specs } of plan)
    results.push(...(await installOrReport(target, specs, actor, context)));
  const { results: _, ...all } = summarize(results);
  context.progress.publish({ type: "skill.deps.installed", ...all });
  for (const { target } of plan) await target.check();
  return { results, ...all };
}

/** Installs one spec for each of these skills that lacks it. */
export async function installWhereMissing(
  spec: string,
  targets: readonly InstallTarget[],
  actor: InstallActor,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  const results: InstalledItem[] = [];
  for (const target of targets) {
    if (!missingSpecs(target, await target.check(), context).includes(spec)) continue;
    results.push(...(await installOrReport(target, [spec], actor, context)));
    await target.check();
  }
  return results;
}

function missingSpecs(
  { ways }: InstallTarget,
  { missing }: CheckedSkill,
  { dependencies }: DependencyContext,
): readonly string[] {
  return specsFor(missing, ways, dependencies.host);
}

async function installOrReport(
  target: InstallTarget,
  specs: readonly string[],
  actor: InstallActor,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  try {
    return await installSpecs(target, specs, actor, context);
  } catch (error) {
    if (!(error instanceof SkillError) || isGlobal(error)) throw error;
    const { message } = error;
    return specs.map((spec) => ({ skill: target.id, spec, status: "failed", message }));
  }
}

/** Whether the same error would stop every other skill. */
function isGlobal({ code }: SkillError): boolean {
  return code === "STORE_FAILED" || code === "INTERRUPTED" || code === "IO_FAILED";
}

function summarize(results: readonly InstalledItem[]): InstalledAll {
  const done = [...new Set(results.filter(({ status }) => status === "ok").map(({ spec }) => spec))];
  const named = (prefix: string) =>
    done.filter((spec) => spec.startsWith(prefix)).map((spec) => spec.slice(prefix.length));
  return {
    results,
    system: done.filter((spec) => !/^(?:pip|npm):/.test(spec)),
    pip: named("pip:"),
    npm: named("npm:"),
    errors: results.filter(({ status }) => status === "failed").map(({ message }) => message),
  };
}
