import { rm } from "node:fs/promises";
import { join } from "node:path";
import { environmentKey } from "./environment-folder.ts";
import { readRecord, writeRecord } from "./environment-record.ts";
import { makeEnvironmentStage, openTree, place, replace } from "./environment-tree.ts";
import { type ItemResult, installGroup } from "./install-group.ts";
import { withLock } from "./install-lock.ts";
import { findTarget, type InstallTools } from "./install-tool.ts";
import { installVariables, type Variables } from "./install-variable.ts";
import { type EnvironmentPorts, partialOf, readGlobal, writeGlobal } from "./skill-environment.ts";
import type { InstallSpec } from "./spec.ts";

export type Scope = "skill" | "global";

export interface BuildRequest {
  readonly packages: readonly InstallSpec[];
  readonly scope: Scope;
  readonly tools: InstallTools;
  readonly env: Variables;
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
  readonly onStart: (spec: InstallSpec) => void;
}

export interface Build {
  /** For each of the packages. */
  readonly results: readonly ItemResult[];
  /** Where they lie; undefined when none was installed. */
  readonly folder?: string;
}

/** Where packages belong, and all that is to lie there with them. */
export interface EnvironmentPlan {
  readonly folder: string;
  readonly specs: readonly InstallSpec[];
  /** What lies in the environment for all already. */
  readonly before: readonly InstallSpec[];
  /** A folder of this name is whole: it was put there in one step. */
  readonly isThere: boolean;
}

export async function planEnvironment(
  packages: readonly InstallSpec[],
  scope: Scope,
  { home, findRuntime }: EnvironmentPorts,
): Promise<EnvironmentPlan> {
  const before = scope === "global" ? await readGlobal(home) : [];
  const specs = scope === "global" ? merge(before, packages) : packages;
  const folder = join(home, environmentKey(specs, await findTarget(findRuntime)));
  const isThere = packages.length > 0 && (await readRecord(folder)) !== undefined;
  return { folder, specs, before, isThere };
}

/** Makes the environment under a lock; whoever waited for it finds it made. */
export async function buildEnvironment(request: BuildRequest, ports: EnvironmentPorts): Promise<Build> {
  const { packages, scope, deadline, signal } = request;
  const { folder } = await planEnvironment(packages, scope, ports);
  const lock = scope === "global" ? join(ports.home, "global.lock") : `${folder}.lock`;
  const waiting = { timeoutMs: deadline - performance.now(), ...(signal === undefined ? {} : { signal }) };
  const work = async (): Promise<Build> => {
    const plan = await planEnvironment(packages, scope, ports);
    if (plan.isThere) return { folder: plan.folder, results: packages.map(skipped) };
    const stage = await makeEnvironmentStage(ports.home);
    try {
      return await make(plan, request, stage, ports);
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  };
  return await withLock(lock, work, waiting);
}

function skipped({ text }: InstallSpec): ItemResult {
  return { spec: text, status: "skipped", message: "It is installed already.", durationMs: 0 };
}

async function make(
  plan: EnvironmentPlan,
  request: BuildRequest,
  stage: string,
  ports: EnvironmentPorts,
): Promise<Build> {
  const draft = join(stage, "environment");
  const results = await installAll(plan.specs, request, draft, stage);
  const asked = results.filter(({ spec }) => request.packages.some(({ text }) => text === spec));
  const failed = results.filter(({ status }) => status !== "ok").map(({ spec }) => spec);
  if (failed.length === results.length) return { results: asked };
  const lost = plan.before.filter(({ text }) => failed.includes(text));
  if (lost.length > 0) return { results: asked.map((result) => withLost(result, lost)) };
  await writeRecord(draft, { specs: plan.specs.map(({ text }) => text), failed });
  await openTree(draft);
  const good = plan.specs.filter(({ text }) => !failed.includes(text));
  const folder =
    request.scope === "global"
      ? await placeGlobal(draft, good, stage, ports)
      : await placeOwn(draft, plan.folder, failed.length === 0, stage);
  return { results: asked, folder };
}

async function installAll(
  specs: readonly InstallSpec[],
  { tools, env, deadline, signal, onStart }: BuildRequest,
  draft: string,
  stage: string,
): Promise<readonly ItemResult[]> {
  const variables = await installVariables(env, stage);
  const options = { env: variables, scratch: stage, deadline, ...(signal === undefined ? {} : { signal }) };
  const results: ItemResult[] = [];
  for (const manager of ["npm", "pip"] as const) {
    const group = specs.filter((spec) => spec.manager === manager);
    if (group.length === 0) continue;
    for (const spec of group) onStart(spec);
    results.push(...(await installGroup(group, tools[manager], draft, options)));
  }
  return results;
}

/** Other skills count on what lies in the environment for all: one that lacks it does not take its place. */
function withLost(result: ItemResult, lost: readonly InstallSpec[]): ItemResult {
  if (result.status !== "ok") return result;
  const names = lost.map(({ text }) => text).join(", ");
  const message = `${result.spec}: the environment for all was left as it is, because ${names} could not be installed again`;
  return { ...result, status: "failed", message };
}

async function placeOwn(draft: string, folder: string, isWhole: boolean, stage: string): Promise<string> {
  if (!isWhole) {
    await replace(draft, partialOf(folder), stage);
    return partialOf(folder);
  }
  await place(draft, folder);
  await rm(partialOf(folder), { recursive: true, force: true });
  return folder;
}

/** The environment for all is another folder after each change: what runs meanwhile keeps the one it has. */
async function placeGlobal(
  draft: string,
  specs: readonly InstallSpec[],
  stage: string,
  { home, findRuntime }: EnvironmentPorts,
): Promise<string> {
  const folder = join(home, environmentKey(specs, await findTarget(findRuntime)));
  await place(draft, folder);
  await writeGlobal(home, specs, stage);
  return folder;
}

/** The later version of a package counts. */
function merge(some: readonly InstallSpec[], more: readonly InstallSpec[]): readonly InstallSpec[] {
  return [...new Map([...some, ...more].map((spec) => [`${spec.manager}:${spec.name}`, spec])).values()];
}
