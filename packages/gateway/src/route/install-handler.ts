import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import type { InstallProgressStep } from "@skillhold/protocol/http";
import {
  type CheckedSkill,
  checkOutdated,
  cooldownEnd,
  DEFAULT_MIN_AGE_MS,
  describePlan,
  type Installed,
  type InstallPlan,
  mergeConflict,
  type PlanContext,
  type PrepareContext,
  type Prepared,
  planInstall,
  prepareInstall,
  readSource,
  resolveSource,
  type SourceSpec,
  versionName,
} from "@skillhold/registry/install";
import { storeBases, storeTarget } from "@skillhold/registry/install/store";
import { principalActor } from "../auth/principal.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import type { InstallService, OpenedInstall } from "../install-service.ts";
import type { CatalogueContext } from "../running-context.ts";
import { viewKeyOf } from "../socket/socket-viewer.ts";

export const installHandlers: Pick<Handlers, "installSkills" | "listInstalled" | "checkInstalled"> = {
  installSkills,
  listInstalled,
  checkInstalled,
};

/**
 * Without `approved` the answer is a preview and no skill changes. With it, each skill is installed whose content is
 * still the one that was approved.
 */
async function installSkills(
  call: Call<"installSkills">,
  context: CatalogueContext,
): Promise<Reply<"installSkills">> {
  const spec = readSource(call.body.source);
  rejectOwn(spec);
  if (call.body.now === true && call.principal.role !== "admin")
    throw new SkillError("FORBIDDEN", "Only administrators accept an update before its minimum age.", {
      hint: "Wait until the release is old enough, or ask an administrator.",
    });
  return await withWork(context, async (installs, work) => ({
    data: await install(spec, call, { context, installs, work }),
  }));
}

async function withWork<T>(
  { installs, options }: CatalogueContext,
  use: (installs: InstallService, work: string) => Promise<T>,
): Promise<T> {
  if (installs === undefined)
    throw new SkillError("NOT_READY", "This gateway does not install from elsewhere.", {
      hint: "Install with the command line, or upload an archive.",
    });
  const work = await mkdtemp(join(options.temporary, "skillhold-install-"));
  try {
    return await use(installs, work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A token gives no access to the machine's paths, its users' keys or other gateways. */
function rejectOwn(spec: SourceSpec): void {
  const isSsh = (each: SourceSpec) => each.kind === "git" && each.url.startsWith("ssh:");
  const inner = spec.kind === "marketplace" ? spec.source : spec;
  if (inner.kind !== "local" && inner.kind !== "gateway" && !isSsh(inner)) return;
  throw new SkillError("POLICY_DENIED", "A gateway installs over https alone.", {
    hint: "Name an https source, or upload an archive.",
  });
}

interface Installing {
  readonly context: CatalogueContext;
  readonly installs: InstallService;
  readonly work: string;
}

async function install(
  spec: SourceSpec,
  call: Call<"installSkills">,
  { context: gateway, installs, work }: Installing,
) {
  const { body, signal } = call;
  const report = reporter(body.progress, call, gateway);
  const opened = await installs.open(work, signal);
  try {
    const context = {
      ...installContext(call, gateway, installs, opened, report),
      isReplacing: body.replace === true,
    };
    const { ports } = context;
    const named = "skill" in spec && spec.skill !== undefined ? [spec.skill] : [];
    report({ stage: "resolving" });
    const resolved = await resolveSource(spec, ports);
    const selection = { names: [...(body.skills ?? []), ...named], id: body.id };
    const { prepared, failures, notes } = await prepareInstall(resolved, selection, context);
    const results: Result[] = failures.map(({ name, path, error }) => failed(name || path, error));
    const previews = [];
    for (const [done, each] of prepared.entries()) {
      const plan = await tryPlan(each, context);
      if ("error" in plan) {
        results.push(plan);
        continue;
      }
      const until = waitOf(each, plan, installs, context);
      previews.push({ ...describePlan(each, plan), ...(until === undefined ? {} : { waitsUntil: until }) });
      if (body.approved === undefined) continue;
      report({ stage: "installing", skill: each.staged.id, done, total: prepared.length });
      const isWaiting =
        until !== undefined && body.now !== true && Object.hasOwn(body.approved, each.staged.id);
      if (isWaiting) results.push({ id: each.staged.id, status: "waiting", until });
      else results.push(await apply(each, plan, body.approved, context, installs));
    }
    return { previews, skills: results, notes };
  } finally {
    opened.close();
    report({ stage: "done" });
  }
}

/** When an update of an installed skill is old enough; undefined where it need not wait. A first install does not. */
function waitOf(
  prepared: Prepared,
  plan: InstallPlan,
  { minAgeMs = DEFAULT_MIN_AGE_MS }: InstallService,
  { clock }: PrepareContext,
): string | undefined {
  if (plan.kind !== "apply" || (plan.action !== "update" && plan.action !== "merge")) return undefined;
  const until = cooldownEnd(prepared, { minAgeMs });
  return until === undefined || until <= clock.now() ? undefined : until.toISOString();
}

type Report = (step: Omit<InstallProgressStep, "request">) => void;
type Progressing = Pick<Call<"installSkills">, "principal">;

/** Sends progress to the caller's own connections; without a name for it, to none. */
function reporter(
  request: string | undefined,
  { principal }: Progressing,
  { installProgress }: CatalogueContext,
): Report {
  if (request === undefined) return () => {};
  const to = viewKeyOf(principal);
  return (step) => installProgress.publish({ to, event: { request, ...step } });
}

function installContext(
  { principal, signal }: Pick<Call<"installSkills">, "principal" | "signal">,
  { registry }: CatalogueContext,
  { state, bases, guard }: InstallService,
  { ports, trust, policy }: OpenedInstall,
  report: Report,
): PrepareContext & PlanContext {
  const target = storeTarget({ by: principalActor(principal), name: TARGET, state, signal }, registry);
  return {
    ...{ ports, trust, policy, target, firstSight: state, clock: registry.clock },
    bases: [bases, storeBases(registry)],
    ...(guard === undefined ? {} : { guard }),
    onStep: ({ name, ...step }) => report({ ...step, ...(name === undefined ? {} : { skill: name }) }),
  };
}

/** The name of the gateway's store in pins and checks. */
const TARGET = "gateway";

/** The installed skills that the caller manages. No source is asked. */
async function listInstalled(
  call: Call<"listInstalled">,
  { installs, registry }: CatalogueContext,
): Promise<Reply<"listInstalled">> {
  if (installs === undefined) return { data: { skills: [] } };
  const { state } = installs;
  const target = storeTarget(
    { by: principalActor(call.principal), name: TARGET, state, signal: call.signal },
    registry,
  );
  return { data: describeInstalled(await target.list(), state) };
}

async function checkInstalled(
  call: Call<"checkInstalled">,
  context: CatalogueContext,
): Promise<Reply<"checkInstalled">> {
  return await withWork(context, async (installs, work) => {
    const { state, minAgeMs = DEFAULT_MIN_AGE_MS } = installs;
    const report = reporter(call.body?.progress, call, context);
    const opened = await installs.open(work, call.signal);
    try {
      const ready = installContext(call, context, installs, opened, () => {});
      const all = await ready.target.list();
      const wanted = call.body?.skills;
      const asked = wanted === undefined ? all : all.filter(({ id }) => wanted.includes(id));
      const skills: Record<string, CheckedSkill> = {};
      for (const [done, each] of asked.entries()) {
        report({ stage: "checking", skill: each.id, done, total: asked.length });
        skills[each.id] = await checkOutdated(each, { minAgeMs }, ready);
      }
      // Others manage other skills, whose checks stay.
      state.keepChecks(TARGET, { at: registryTime(context), skills }, true);
      return { data: describeInstalled(all, state) };
    } finally {
      opened.close();
      report({ stage: "done" });
    }
  });
}

function registryTime({ registry }: CatalogueContext): string {
  return registry.clock.now().toISOString();
}

function describeInstalled(installed: readonly Installed[], state: InstallService["state"]) {
  const checks = state.checksOf(TARGET);
  const skills = installed.map(({ id, treeHash, installed: record }) => {
    const check = checks !== undefined && Object.hasOwn(checks.skills, id) ? checks.skills[id] : undefined;
    return {
      id,
      source: record.spec,
      path: record.path,
      installed: versionName(record) ?? record.upstream.slice(0, 19),
      publisher: record.publisher,
      signer: record.signer,
      isPinned: record.isPinned,
      isEdited: treeHash !== record.upstream,
      check,
    };
  });
  return { skills, ...(checks === undefined ? {} : { checkedAt: checks.at }) };
}

type Answer = Extract<Reply<"installSkills">, { readonly data: unknown }>["data"];
type Result = Answer["skills"][number];

async function tryPlan(
  prepared: Prepared,
  context: PlanContext,
): Promise<InstallPlan | Extract<Result, { readonly status: "failed" }>> {
  try {
    return await planInstall(prepared, context);
  } catch (error) {
    return failed(prepared.staged.id, error);
  }
}

async function apply(
  { staged }: Prepared,
  plan: InstallPlan,
  approved: Readonly<Record<string, string>>,
  { target }: PlanContext,
  { bases }: InstallService,
): Promise<Result> {
  const { id, treeHash } = staged;
  try {
    if (plan.kind === "conflict") throw mergeConflict(plan.id, plan.conflicts);
    if (plan.kind === "unchanged") return { id, status: "unchanged", treeHash };
    if (!Object.hasOwn(approved, id) || approved[id] !== treeHash)
      throw new SkillError("APPROVAL_REQUIRED", `The content of ${id} is not the one that was approved.`, {
        hint: "Look at the preview, and send its tree hash in `approved`.",
        details: { id, treeHash },
      });
    await bases.keep(treeHash, staged.files);
    return { ...(await target.apply(plan.change)) };
  } catch (error) {
    return failed(id, error);
  }
}

/** A failure of one skill holds up no other. */
function failed(id: string, error: unknown): Extract<Result, { readonly status: "failed" }> {
  if (!(error instanceof SkillError) || error.code === "INTERRUPTED" || error.code === "STORE_FAILED")
    throw error;
  const { code, message, hint } = error;
  return { id, status: "failed", error: { code, message, hint } };
}
