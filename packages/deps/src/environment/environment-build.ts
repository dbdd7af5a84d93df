import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readdir, realpath, rename, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { Sandbox } from "@skillhold/core/run";
import { isBelow } from "@skillhold/sandbox/backend";
import { environmentKey, lockedKey } from "./environment-folder.ts";
import { environmentLockHash } from "./environment-lock.ts";
import { readEnvironmentRecord, writeEnvironmentRecord } from "./environment-record.ts";
import { type ItemResult, installGroup } from "./install-group.ts";
import { withLock } from "./install-lock.ts";
import { findTarget, type InstallTools } from "./install-tool.ts";
import { type EnvironmentPorts, partialOf, readGlobal, writeGlobal } from "./skill-environment.ts";
import type { InstallSpec } from "./spec.ts";

export type InstallScope = "skill" | "global";

export interface BuildRequest {
  readonly packages: readonly InstallSpec[];
  readonly scope: InstallScope;
  readonly tools: InstallTools;
  readonly sandbox: Sandbox;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
  readonly onStart: (spec: InstallSpec) => void;
}

export interface Build {
  /** One result per package. */
  readonly results: readonly ItemResult[];
  /** The folder of the packages; undefined when no package was installed. */
  readonly folder?: string;
}

/** The environment for a set of packages, and the packages that share it. */
export interface EnvironmentPlan {
  /** A link with the name of the set, which leads to the environment. */
  readonly folder: string;
  readonly specs: readonly InstallSpec[];
  /** The packages that the global environment already contains. */
  readonly before: readonly InstallSpec[];
  /** True when the environment exists. Folders are renamed into place, so an existing one is complete. */
  readonly isThere: boolean;
}

export async function planEnvironment(
  packages: readonly InstallSpec[],
  scope: InstallScope,
  { home, findRuntime }: EnvironmentPorts,
): Promise<EnvironmentPlan> {
  const before = scope === "global" ? await readGlobal(home) : [];
  const specs = scope === "global" ? merge(before, packages) : packages;
  const folder = join(home, environmentKey(specs, await findTarget(findRuntime)));
  const isThere = packages.length > 0 && (await readEnvironmentRecord(folder)) !== undefined;
  return { folder, specs, before, isThere };
}

/** Builds the environment under a lock. A caller that waited for the lock finds it built. */
export async function buildEnvironment(request: BuildRequest, ports: EnvironmentPorts): Promise<Build> {
  const { packages, scope, deadline, signal } = request;
  const { folder } = await planEnvironment(packages, scope, ports);
  const lock = scope === "global" ? join(ports.home, "global.lock") : `${folder}.lock`;
  const waiting = { timeoutMs: deadline - performance.now(), ...(signal === undefined ? {} : { signal }) };
  const work = async (): Promise<Build> => {
    const plan = await planEnvironment(packages, scope, ports);
    if (plan.isThere) return { folder: await realpath(plan.folder), results: packages.map(skipped) };
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
  return { spec: text, status: "skipped", message: "Already installed.", durationMs: 0 };
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
  const lock = await environmentLockHash(draft);
  if (lock === undefined) throw new Error("An installed environment has a lock.");
  await writeEnvironmentRecord(draft, { specs: plan.specs.map(({ text }) => text), failed, lock });
  await openTree(draft);
  const good = plan.specs.filter(({ text }) => !failed.includes(text));
  const target = await findTarget(ports.findRuntime);
  const folder = join(ports.home, lockedKey(lock, target));
  await place(draft, folder);
  if (request.scope === "global") {
    await point(join(ports.home, environmentKey(good, target)), folder, stage);
    await writeGlobal(ports.home, good, stage);
  } else if (failed.length > 0) {
    await point(partialOf(plan.folder), folder, stage);
  } else {
    await point(plan.folder, folder, stage);
    await rm(partialOf(plan.folder), { recursive: true, force: true });
  }
  return { results: asked, folder };
}

async function installAll(
  specs: readonly InstallSpec[],
  { tools, sandbox, deadline, signal, onStart }: BuildRequest,
  draft: string,
  stage: string,
): Promise<readonly ItemResult[]> {
  const empty = join(stage, "empty");
  const options = { sandbox, empty, scratch: stage, deadline, ...(signal === undefined ? {} : { signal }) };
  const results: ItemResult[] = [];
  for (const manager of ["npm", "pip"] as const) {
    const group = specs.filter((spec) => spec.manager === manager);
    if (group.length === 0) continue;
    for (const spec of group) onStart(spec);
    results.push(...(await installGroup(group, tools[manager], draft, options)));
  }
  return results;
}

/** Other skills depend on the global environment, so a new one that lacks a package does not replace it. */
function withLost(result: ItemResult, lost: readonly InstallSpec[]): ItemResult {
  if (result.status !== "ok") return result;
  const names = lost.map(({ text }) => text).join(", ");
  const message = `${result.spec}: the global environment is unchanged, because ${names} could not be installed again`;
  return { ...result, status: "failed", message };
}

/** The later version of a package wins. */
function merge(some: readonly InstallSpec[], more: readonly InstallSpec[]): readonly InstallSpec[] {
  return [...new Map([...some, ...more].map((spec) => [`${spec.manager}:${spec.name}`, spec])).values()];
}

const STAGE = /^\.stage-/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a folder to build an environment in. The caller removes it. */
async function makeEnvironmentStage(home: string): Promise<string> {
  await sweep(home);
  const stage = join(home, `.stage-${process.pid}-${randomBytes(8).toString("hex")}`);
  await mkdir(stage);
  // The sandbox of root uses another user, who must reach the folders in it.
  await chmod(stage, process.getuid?.() === 0 ? 0o711 : 0o700);
  for (const name of ["empty", "environment"]) {
    await mkdir(join(stage, name));
    await chmod(join(stage, name), 0o755);
  }
  return stage;
}

/** Removes folders of installations that ended before they could clean up. */
async function sweep(home: string): Promise<void> {
  for (const name of (await readdir(home)).filter((each) => STAGE.test(each))) {
    const stats = await lstat(join(home, name)).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS) {
      await rm(join(home, name), { recursive: true, force: true });
    }
  }
}

/**
 * Makes a tree readable for the user that runs scripts, regardless of umask and package modes: only read and
 * execute bits stay. Links that lead outside and special files are removed.
 */
export async function openTree(folder: string): Promise<void> {
  const root = await realpath(folder);
  const waiting = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await chmod(next, 0o755);
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
      else if (!entry.isSymbolicLink() || !(await staysBelow(path, root))) await rm(path);
    }
  }
}

async function staysBelow(link: string, root: string): Promise<boolean> {
  return isBelow(await realpath(link).catch(() => ""), root);
}

/** Renames a finished environment into place. An existing one stays, because it has the same content. */
export async function place(source: string, target: string): Promise<void> {
  try {
    await rename(source, target);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCodeOf(error) ?? "")) throw error;
  }
}

/** Makes a link to an environment in one step. Runs that use the old one keep their open files. */
async function point(link: string, folder: string, stage: string): Promise<void> {
  const draft = join(stage, "link");
  await symlink(basename(folder), draft);
  const stats = await lstat(link).catch(() => undefined);
  if (stats?.isDirectory() === true) await rename(link, join(stage, "old"));
  await rename(draft, link);
}
