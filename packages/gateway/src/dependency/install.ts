import {
  type InstallEvent,
  type ItemResult,
  installClearance,
  installForSkill,
  specsFor,
} from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import type { Progress } from "../socket/progress.ts";
import type { DependencyContext } from "./dependency-context.ts";
import type { InstallTarget } from "./install-target.ts";
import type { CheckedSkill } from "./skill-checks.ts";

/** Who says yes to it. */
export interface Installing {
  readonly by: string;
}

export interface InstalledItem extends Pick<ItemResult, "spec" | "status" | "message"> {
  readonly skill: string;
}

/**
 * Installs for a skill what these specs name, after the policy has let it, in the name of whoever asked for it. What was
 * begun is brought to an end, whether or not anyone waits for it, unless the gateway shuts down.
 */
export async function installSpecs(
  target: InstallTarget,
  specs: readonly string[],
  { by }: Installing,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  const { id, trust, treeHash, needs, currentHash } = target;
  const { dependencies, registry, audit, approvals, closing, progress } = context;
  const { clock, ids, limits } = registry;
  const called = closing === undefined ? {} : { signal: closing };
  const clear = installClearance(
    { entry: { id, trust }, treeHash },
    {
      ...{ clock, ids, audit, limits, approvals, treeHash: currentHash, ...called },
      asker: { ask: async () => ({ answer: "approve", scope: "once", by }) },
    },
  );
  const { home, host, findRuntime } = dependencies;
  const { results } = await installForSkill(
    { owner: { skill: id, needs }, specs },
    { home, host, findRuntime, limits, clear },
    { ...called, onProgress: (event) => tellItem(event, progress) },
  );
  return results.map(({ spec, status, message }) => ({ skill: id, spec, status, message }));
}

/** Of an installation for one skill the items are told; what all of it is, knows who asked for it. */
function tellItem(event: InstallEvent, progress: Progress): void {
  if (event.type === "skill.dep.item.installing")
    progress.tell({ type: event.type, slug: event.skill, dep: event.dep });
  if (event.type === "skill.dep.item.installed") {
    const { type, skill, dep, ok, error } = event;
    progress.tell({ type, slug: skill, dep, ok, ...(error === undefined ? {} : { error }) });
  }
}

/** What an installation for several skills came to. */
export interface InstalledAll {
  readonly results: readonly InstalledItem[];
  readonly system: readonly string[];
  readonly pip: readonly string[];
  readonly npm: readonly string[];
  readonly errors: readonly string[];
}

/** Installs all that these skills lack, each for itself: one that is refused holds up no other. */
export async function installMissing(
  targets: readonly InstallTarget[],
  installing: Installing,
  context: DependencyContext,
): Promise<InstalledAll> {
  const wanted: { readonly target: InstallTarget; readonly specs: readonly string[] }[] = [];
  for (const target of targets) {
    const specs = missingSpecs(target, await target.check(), context);
    if (specs.length > 0) wanted.push({ target, specs });
  }
  if (wanted.length === 0) return summarise([]);
  const deps = [...new Set(wanted.flatMap(({ specs }) => specs))];
  context.progress.tell({ type: "skill.deps.installing", deps });
  const results: InstalledItem[] = [];
  for (const { target, specs } of wanted)
    results.push(...(await installOrSayWhy(target, specs, installing, context)));
  const { results: _, ...all } = summarise(results);
  context.progress.tell({ type: "skill.deps.installed", ...all });
  for (const { target } of wanted) await target.check();
  return { results, ...all };
}

/** Installs one thing for each of these skills that lacks it. */
export async function installWhereMissing(
  spec: string,
  targets: readonly InstallTarget[],
  installing: Installing,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  const results: InstalledItem[] = [];
  for (const target of targets) {
    if (!missingSpecs(target, await target.check(), context).includes(spec)) continue;
    results.push(...(await installOrSayWhy(target, [spec], installing, context)));
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

async function installOrSayWhy(
  target: InstallTarget,
  specs: readonly string[],
  installing: Installing,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  try {
    return await installSpecs(target, specs, installing, context);
  } catch (error) {
    if (!(error instanceof SkillError) || isOfAll(error)) throw error;
    const { message } = error;
    return specs.map((spec) => ({ skill: target.id, spec, status: "failed", message }));
  }
}

/** Whether the next skill would fail in the same way. */
function isOfAll({ code }: SkillError): boolean {
  return code === "STORE_FAILED" || code === "INTERRUPTED" || code === "IO_FAILED";
}

function summarise(results: readonly InstalledItem[]): InstalledAll {
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
