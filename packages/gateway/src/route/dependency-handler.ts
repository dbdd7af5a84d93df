import { readSpec } from "@skillhold/core/environment";
import { isManager } from "@skillhold/core/registry";
import { SkillError } from "@skillhold/protocol/error";
import { type DependencyContext, withDependencies } from "../dependency/dependency-context.ts";
import { installMissing, installSpecs } from "../dependency/install.ts";
import { getTarget, type InstallTarget, storedTarget } from "../dependency/install-target.ts";
import { describeNeeds } from "../dependency/need-view.ts";
import type { CheckedSkill } from "../dependency/skill-checks.ts";
import { findStored } from "../dependency/stored-skill.ts";
import type { Handlers } from "../http/handler.ts";
import { actorOf, type Principal } from "../principal.ts";
import { viewerOf } from "../viewer.ts";

export const dependencyHandlers: Pick<
  Handlers,
  "rescanDependencies" | "installDependencies" | "installDependency" | "listRuntimes" | "getDependencies"
> = {
  rescanDependencies: async ({ principal }, running) => {
    const context = withDependencies(running);
    const skills = await context.work.checks.rescan();
    return { data: { skills: await knownTo(principal, skills, context) } };
  },
  installDependencies: async ({ principal, body, signal }, running) => {
    const context = withDependencies(running);
    const data = await context.work.installs.take(async () => {
      rejectUnwanted(signal);
      const targets = await listTargets(body?.skills, principal, context);
      return await installMissing(targets, { by: principal.user }, context);
    });
    return { data };
  },
  installDependency: async ({ principal, body: { skill, dep }, signal }, running) => {
    const context = withDependencies(running);
    const spec = readSpec(dep);
    if (typeof spec === "string")
      throw new SkillError("CONFIG_INVALID", spec, {
        hint: "Write it as `pip:name`, `npm:name` or `apt:name`.",
      });
    const viewer = await viewerOf(principal, {}, context);
    const [result] = await context.work.installs.take(async () => {
      rejectUnwanted(signal);
      const target = await getTarget(skill, viewer, context);
      const results = await installSpecs(target, [spec.text], { by: principal.user }, context);
      await target.check();
      return results;
    });
    if (result === undefined) throw new SkillError("INTERNAL", `Nothing came of installing ${spec.text}.`);
    const { status, message } = result;
    const ok = status === "ok" || status === "skipped";
    return {
      data: {
        ok,
        dep: spec.text,
        ...(ok ? {} : { error: message }),
        result: { spec: result.spec, status, message },
      },
    };
  },
  listRuntimes: async ({ principal }, running) => {
    const { runtimes } = await withDependencies(running).work.runtimes();
    // Where programs lie is of use to who looks after the machine.
    const shown = runtimes.map(({ path, ...runtime }) =>
      principal.role === "admin" && path !== undefined ? { ...runtime, path } : runtime,
    );
    return { data: { runtimes: shown } };
  },
  getDependencies: async ({ principal, params: { id } }, running) => {
    const context = withDependencies(running);
    const viewer = await viewerOf(principal, {}, context);
    return { data: await describeNeeds(id, { viewer, isAdmin: principal.role === "admin" }, context) };
  },
};

/** What waited for its turn is not begun when nobody waits for it any more. */
function rejectUnwanted(signal: AbortSignal): void {
  if (signal.aborted) throw new SkillError("INTERRUPTED", "It was called off before it was begun.");
}

async function listTargets(
  keys: readonly string[] | undefined,
  principal: Principal,
  context: DependencyContext,
): Promise<readonly InstallTarget[]> {
  if (keys !== undefined) {
    const viewer = await viewerOf(principal, {}, context);
    return await Promise.all(keys.map((key) => getTarget(key, viewer, context)));
  }
  const lacking = (await context.work.checks.rescan()).filter(({ ok }) => !ok);
  const stored = await Promise.all(lacking.map(({ skill }) => findStored(skill, context)));
  return stored.flatMap((each) => (each === undefined ? [] : [storedTarget(each, context)]));
}

/** Those that they see or manage; to all others they do not exist. */
async function knownTo(
  principal: Principal,
  skills: readonly CheckedSkill[],
  context: DependencyContext,
): Promise<readonly CheckedSkill[]> {
  if (principal.role === "admin") return skills;
  const { store } = context.registry;
  const viewer = await viewerOf(principal, {}, context);
  const seen = await context.skills.list(viewer);
  const by = actorOf(principal);
  const [rows, grants] = await Promise.all([store.listSkills(), store.listGrants()]);
  const given = Map.groupBy(grants, (grant) => grant.skill);
  const managed = rows.filter((row) => isManager(row, given.get(row.uid) ?? [], by));
  const known = new Set<string>([...seen, ...managed].map(({ id }) => id));
  return skills.filter(({ skill }) => known.has(skill));
}
