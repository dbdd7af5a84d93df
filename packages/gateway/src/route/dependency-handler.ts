import {
  type Dependency,
  type DependencyState,
  dependencyState,
  formatNeed,
  type NeedCheck,
} from "@skillhold/core/dependency";
import type { Viewer } from "@skillhold/core/library";
import { canInstall, checkDependencies, readSpec, specsFor } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import { isManager } from "@skillhold/registry/access";
import { isAdministrator, isPerson, type Principal, principalActor } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import { type DependencyContext, withDependencies } from "../dependency/dependency-context.ts";
import {
  type InstalledItem,
  installMissing,
  installSpecs,
  installWhereMissing,
} from "../dependency/install.ts";
import {
  checkFolders,
  folderTarget,
  getTarget,
  type InstallTarget,
  storedTarget,
  surveyVisible,
} from "../dependency/install-target.ts";
import type { Survey } from "../dependency/shared-survey.ts";
import type { CheckedSkill } from "../dependency/skill-checks.ts";
import { checkRequestOf, findStored } from "../dependency/stored-skill.ts";
import type { Handlers } from "../http/handler.ts";
import { noSkill, skillIdOf } from "../skill/skill-key.ts";

export const dependencyHandlers: Pick<
  Handlers,
  "rescanDependencies" | "installDependencies" | "installDependency" | "listRuntimes" | "getDependencies"
> = {
  rescanDependencies: async ({ principal }, running) => {
    if (!isPerson(principal))
      throw new SkillError("FORBIDDEN", "Agents cannot rescan dependencies.", {
        hint: "Ask a person to do it.",
      });
    const context = withDependencies(running);
    const skills = await onlyDisclosed(principal, await context.work.checks.rescan(), context);
    const folders = await checkFolders(await requestViewer(principal, {}, context), context);
    return { data: { skills: [...skills, ...folders] } };
  },
  installDependencies: async ({ principal, body, signal }, running) => {
    const context = withDependencies(running);
    const data = await context.work.installs.run(async () => {
      const targets = await listTargets(body?.skills, principal, context);
      return await installMissing(targets, { by: principal.user }, context);
    }, signal);
    return { data };
  },
  installDependency: async ({ principal, body: { skill, dep }, signal }, running) => {
    const context = withDependencies(running);
    const spec = readSpec(dep);
    if (typeof spec === "string")
      throw new SkillError("CONFIG_INVALID", spec, {
        hint: "Write it as `pip:name`, `npm:name` or `apt:name`.",
      });
    const results = await context.work.installs.run(
      () => installOne(spec.text, skill, principal, context),
      signal,
    );
    return { data: summarize(spec.text, results) };
  },
  listRuntimes: async ({ principal }, running) => {
    const { runtimes, ready } = await withDependencies(running).work.runtimes();
    // Only administrators see the paths of programs.
    const shown = runtimes.map(({ path, ...runtime }) =>
      isAdministrator(principal) && path !== undefined ? { ...runtime, path } : runtime,
    );
    return { data: { runtimes: shown, ready } };
  },
  getDependencies: async ({ principal, params: { id }, signal }, running) => {
    const context = withDependencies(running);
    const viewer = await requestViewer(principal, {}, context);
    const request = { viewer, isAdmin: isAdministrator(principal), signal };
    return { data: await describeNeeds(id, request, context) };
  },
};

/** Installs for the named skill, or for every skill that lacks the dependency. */
async function installOne(
  spec: string,
  skill: string | undefined,
  principal: Principal,
  context: DependencyContext,
): Promise<readonly InstalledItem[]> {
  const options = { by: principal.user };
  if (skill === undefined)
    return await installWhereMissing(
      spec,
      await listTargets(undefined, principal, context),
      options,
      context,
    );
  const target = await getTarget(skill, await requestViewer(principal, {}, context), context);
  const results = await installSpecs(target, [spec], options, context);
  await target.check();
  return results;
}

/** Reports success when no installation failed, and otherwise the first failure. */
function summarize(dep: string, results: readonly InstalledItem[]) {
  const failed = results.find(({ status }) => status !== "ok" && status !== "skipped");
  const none = { spec: dep, status: "skipped", message: `No skill lacks ${dep}.` } as const;
  const { spec, status, message } = failed ?? results[0] ?? none;
  return {
    ok: failed === undefined,
    dep,
    ...(failed === undefined ? {} : { error: message }),
    result: { spec, status, message },
    results,
  };
}

async function listTargets(
  keys: readonly string[] | undefined,
  principal: Principal,
  context: DependencyContext,
): Promise<readonly InstallTarget[]> {
  const viewer = await requestViewer(principal, {}, context);
  if (keys !== undefined) return await Promise.all(keys.map((key) => getTarget(key, viewer, context)));
  const lacking = (await context.work.checks.rescan()).filter(({ ok }) => !ok);
  const stored = await Promise.all(lacking.map(({ skill }) => findStored(skill, context)));
  const folders = (await checkFolders(viewer, context)).filter(({ ok }) => !ok);
  return [
    ...stored.flatMap((each) => (each === undefined ? [] : [storedTarget(each, context)])),
    ...(await Promise.all(folders.map(({ skill }) => folderTarget(skill, viewer, context)))),
  ];
}

/** The skills that the principal sees or manages. */
async function onlyDisclosed(
  principal: Principal,
  skills: readonly CheckedSkill[],
  context: DependencyContext,
): Promise<readonly CheckedSkill[]> {
  if (isAdministrator(principal)) return skills;
  const { store } = context.registry;
  const viewer = await requestViewer(principal, {}, context);
  const visible = await context.skills.list(viewer);
  const by = principalActor(principal);
  const [rows, grants] = await Promise.all([store.listSkills(), store.listGrants()]);
  const grantsBySkill = Map.groupBy(grants, (grant) => grant.skill);
  const managed = rows.filter((row) => isManager(row, grantsBySkill.get(row.uid) ?? [], by));
  const disclosed = new Set<string>([...visible, ...managed].map(({ id }) => id));
  return skills.filter(({ skill }) => disclosed.has(skill));
}

/** The dependencies of a skill, as a client sees them. */
interface NeedView {
  readonly skill: string;
  readonly state: Pick<DependencyState, "state" | "missing" | "unknown" | "warnings" | "isUnsupported">;
  readonly needs: readonly Need[];
}

interface Need extends Pick<Dependency, "name" | "kind" | "optional" | "declared" | "seen"> {
  readonly status: NeedCheck["answer"];
  readonly install?: string;
}

interface NeedRequest {
  readonly viewer: Viewer;
  readonly isAdmin: boolean;
  readonly signal: AbortSignal;
}

/** The dependencies of a skill and their status. Throws SKILL_NOT_FOUND unless the caller sees the skill or is an administrator. */
async function describeNeeds(
  key: string,
  { viewer, isAdmin, signal }: NeedRequest,
  context: DependencyContext,
): Promise<NeedView> {
  const id = await skillIdOf(key, context);
  const entry = await context.library.find(viewer, id);
  if (entry === undefined && !isAdmin) throw noSkill(key);
  const hash = entry?.treeHash;
  const survey = async (): Promise<Survey> => {
    try {
      return await surveyVisible(id, viewer, context);
    } catch (error) {
      if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
      const stored = isAdmin ? await surveyStored(id, context) : undefined;
      if (stored === undefined) throw noSkill(key);
      return stored;
    }
  };
  const sharedKey = hash === undefined ? undefined : `${isAdmin} ${id} ${hash}`;
  const { manifest, checks, state } = await context.work.surveys.get(sharedKey, survey, signal);
  const ways = manifest.ways ?? [];
  const needs = manifest.dependencies.map((dependency, at): Need => {
    const { name, kind, optional, declared, seen } = dependency;
    const status = checks[at]?.answer ?? "unknown";
    const [install] = specsFor([formatNeed(dependency)], ways, context.dependencies.host);
    const isInstallable = status === "missing" && install !== undefined && state.isUnsupported !== true;
    return { name, kind, optional, declared, seen, status, ...(isInstallable ? { install } : {}) };
  });
  const { archived: _, ...shown } = state;
  return { skill: id, state: shown, needs };
}

async function surveyStored(id: string, context: DependencyContext): Promise<Survey | undefined> {
  const stored = await findStored(id, context);
  if (stored === undefined) return undefined;
  const [result] = await checkDependencies([await checkRequestOf(stored, context)], context.dependencies);
  const checks = result?.checks ?? [];
  const effect = { path: "publish", canInstall: await canInstall(context.dependencies) } as const;
  return { manifest: stored.revision.manifest, checks, state: dependencyState(checks, effect) };
}
