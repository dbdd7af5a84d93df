import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Handlers } from "../http/handler.ts";
import { metricView } from "../metric/metric-view.ts";
import type { Principal } from "../principal.ts";
import type { RunningContext } from "../running-context.ts";
import { viewerOf } from "../viewer.ts";

export const metricHandlers: Pick<Handlers, "listMetrics" | "getMetrics" | "getPrometheus"> = {
  listMetrics: async ({ query, principal }, context) => {
    const { usage } = context.usage;
    const known = principal.role === "admin" ? undefined : await listKnown(principal, context);
    const counts = usage.list(query.by).filter(({ skill }) => known?.has(skill) ?? true);
    return { data: { upTo: usage.upTo, skills: counts.map(metricView) } };
  },
  getMetrics: async ({ params, principal }, context) => {
    const id = await getKnownId(params.id, principal, context);
    const { usage } = context.usage;
    return {
      data: {
        total: metricView(usage.total(id)),
        revisions: usage.revisions(id).map(metricView),
        days: usage.days(id),
      },
    };
  },
  getPrometheus: async (_call, { metrics }) => ({ bytes: await metrics.read(), type: metrics.type }),
};

async function listKnown(principal: Principal, context: RunningContext): Promise<ReadonlySet<string>> {
  const entries: readonly SkillEntry[] = await context.library.list(await viewerOf(principal, {}, context));
  return new Set(entries.map(({ id }) => id));
}

/** An administrator also sees how a skill was used that is hidden, or gone. */
async function getKnownId(key: string, principal: Principal, context: RunningContext): Promise<string> {
  const registered = await context.registry.store.findSkill(key);
  const id = registered?.id ?? key;
  if (principal.role === "admin" && registered !== undefined) return id;
  const found = await context.library.find(await viewerOf(principal, {}, context), id);
  if (found !== undefined) return found.id;
  throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${key}.`, { details: { id: key } });
}
