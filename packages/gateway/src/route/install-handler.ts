import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import {
  describePlan,
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
  storeBases,
  storeTarget,
} from "@skillhold/registry/install";
import { principalActor } from "../auth/principal.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import type { InstallService } from "../install-service.ts";
import type { CatalogueContext } from "../running-context.ts";

export const installHandlers: Pick<Handlers, "installSkills"> = { installSkills };

/**
 * Without `approved` the answer is a preview and no skill changes. With it, each skill is installed whose content is
 * still the one that was approved.
 */
async function installSkills(
  call: Call<"installSkills">,
  context: CatalogueContext,
): Promise<Reply<"installSkills">> {
  const { installs, options } = context;
  if (installs === undefined)
    throw new SkillError("NOT_READY", "This gateway does not install from elsewhere.", {
      hint: "Install with the command line, or upload an archive.",
    });
  const spec = readSource(call.body.source);
  rejectOwn(spec);
  const work = await mkdtemp(join(options.temporary, "skillhold-install-"));
  try {
    return { data: await install(spec, call, { context, installs, work }) };
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
  { body, principal, signal }: Call<"installSkills">,
  { context: { registry }, installs, work }: Installing,
) {
  const { state, bases, guard } = installs;
  const { ports, trust, policy, close } = await installs.open(work, signal);
  try {
    const target = storeTarget({ by: principalActor(principal), name: "gateway", state, signal }, registry);
    const context: PrepareContext & PlanContext = {
      ...{ ports, trust, policy, target, firstSight: state, clock: registry.clock },
      bases: [bases, storeBases(registry)],
      isReplacing: body.replace === true,
      ...(guard === undefined ? {} : { guard }),
    };
    const named = "skill" in spec && spec.skill !== undefined ? [spec.skill] : [];
    const resolved = await resolveSource(spec, ports);
    const selection = { names: [...(body.skills ?? []), ...named], id: body.id };
    const { prepared, failures, notes } = await prepareInstall(resolved, selection, context);
    const results: Result[] = failures.map(({ name, path, error }) => failed(name || path, error));
    const previews = [];
    for (const each of prepared) {
      const plan = await tryPlan(each, context);
      if ("error" in plan) results.push(plan);
      else {
        previews.push(describePlan(each, plan));
        if (body.approved !== undefined)
          results.push(await apply(each, plan, body.approved, context, installs));
      }
    }
    return { previews, skills: results, notes };
  } finally {
    close();
  }
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
