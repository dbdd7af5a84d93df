import type { SkillEntry } from "@skillhold/protocol";
import type { UsageCount } from "@skillhold/registry/audit";
import { z } from "zod";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import type { Handlers } from "../http/handler.ts";
import type { RunningContext } from "../running-context.ts";
import { metricView } from "../telemetry/metric-view.ts";
import { pinFor } from "./known-skill.ts";
import { type KeyedRow, pageOf, rowsAfter } from "./page.ts";
import { noSkill, skillIdOf } from "./skill-key.ts";

const Place = z.tuple([z.string(), z.int()]);

export const metricHandlers: Pick<Handlers, "listMetrics" | "getMetrics" | "getPrometheus"> = {
  listMetrics: async ({ query, principal }, context) => {
    const { usage } = context.usage;
    const known = isAdministrator(principal) ? undefined : await listKnown(principal, context);
    const counts = usage.list(query.by).filter(({ skill, revision }) => {
      if (known === undefined) return true;
      const metered = known.get(skill);
      return metered !== undefined && isOpen(metered, revision);
    });
    const keyed = counts.map((row) => ({ key: [row.skill, row.revision ?? 0], row }));
    const { rows, next } = await pageOf(query, {
      place: Place,
      placeOf: ({ key }: KeyedRow<UsageCount>) => Place.parse(key),
      list: async (after, limit) => rowsAfter(keyed, after, limit),
    });
    return { data: { upTo: usage.upTo, skills: rows.map(({ row }) => metricView(row)), ...next } };
  },
  getMetrics: async ({ params, principal }, context) => {
    const metered = await getMetered(params.id, principal, context);
    const { id } = metered;
    const { usage } = context.usage;
    const revisions = usage.revisions(id).filter(({ revision }) => isOpen(metered, revision));
    return {
      data: {
        total: metricView(usage.total(id)),
        revisions: revisions.map(metricView),
        days: usage.days(id),
      },
    };
  },
  getPrometheus: async (_call, { metrics }) => ({ bytes: await metrics.read(), type: metrics.type }),
};

/** A skill whose use someone is told of. */
interface Metered {
  readonly id: string;
  /** The only revision that is there for them; undefined where all are. */
  readonly pin?: number | undefined;
}

function isOpen({ pin }: Metered, revision: number | undefined): boolean {
  return pin === undefined || revision === undefined || revision === pin;
}

async function listKnown(
  principal: Principal,
  context: RunningContext,
): Promise<ReadonlyMap<string, Metered>> {
  const viewer = await viewerOf(principal, {}, context);
  const entries: readonly SkillEntry[] = await context.library.list(viewer);
  return new Map(
    entries.map((entry) => {
      const held = context.skills.held(entry);
      return [entry.id, { id: entry.id, pin: held && pinFor(held, { principal, viewer }) }];
    }),
  );
}

/** An administrator also sees how a skill was used that is hidden, or gone. */
async function getMetered(key: string, principal: Principal, context: RunningContext): Promise<Metered> {
  const id = await skillIdOf(key, context);
  if (isAdministrator(principal) && (await context.registry.store.findSkill(id)) !== undefined) return { id };
  const viewer = await viewerOf(principal, {}, context);
  const found = await context.library.find(viewer, id);
  if (found === undefined) throw noSkill(key);
  const held = context.skills.held(found);
  return { id: found.id, pin: held && pinFor(held, { principal, viewer }) };
}
