import type { SkillEntry } from "@skillhold/protocol";
import type { SkillMetrics } from "@skillhold/protocol/http";
import { Usage, type UsageCount, type UsageDay } from "@skillhold/registry/audit";
import { z } from "zod";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { pinFor } from "../skill/disclosed-skill.ts";
import { noSkill, skillIdOf } from "../skill/skill-key.ts";
import { type KeyedRow, readPage, rowsAfter } from "./page.ts";

const Position = z.tuple([z.string(), z.int()]);

export const metricHandlers: Pick<Handlers, "listMetrics" | "listDays" | "getMetrics" | "getPrometheus"> = {
  listMetrics: async ({ query, principal }, context) => {
    const { usage } = context.usage;
    const visible = isAdministrator(principal) ? undefined : await listVisible(principal, context);
    const counts = usage.list(query.by).flatMap((count) => {
      if (visible === undefined) return [count];
      const metered = visible.get(count.skill);
      if (metered === undefined || !isOpen(metered, count.revision)) return [];
      return [count.revision === undefined ? totalOf(metered, usage) : count];
    });
    const keyed = counts.map((row) => ({ key: [row.skill, row.revision ?? 0], row }));
    const { rows, next } = await readPage(query, {
      position: Position,
      positionOf: ({ key }: KeyedRow<UsageCount>) => Position.parse(key),
      list: async (after, limit) => rowsAfter(keyed, after, limit),
    });
    const upTo = isAdministrator(principal) ? { upTo: usage.upTo } : {};
    return { data: { ...upTo, skills: rows.map(({ row }) => metricView(row)), ...next } };
  },
  listDays: async ({ principal }, context) => {
    const { usage } = context.usage;
    const visible = isAdministrator(principal) ? undefined : await listVisible(principal, context);
    // Days are not counted by revision.
    const open = usage.list().filter(({ skill }) => {
      const metered = visible?.get(skill);
      return visible === undefined || (metered !== undefined && metered.pin === undefined);
    });
    return { data: { days: sumDays(open.flatMap(({ skill }) => usage.days(skill))) } };
  },
  getMetrics: async ({ params, principal }, context) => {
    const metered = await getMetered(params.id, principal, context);
    const { id } = metered;
    const { usage } = context.usage;
    const revisions = usage.revisions(id).filter(({ revision }) => isOpen(metered, revision));
    return {
      data: {
        total: metricView(totalOf(metered, usage)),
        revisions: revisions.map(metricView),
        // Days are not counted by revision.
        days: metered.pin === undefined ? usage.days(id) : [],
      },
    };
  },
  getPrometheus: async ({ principal }, { metrics }) => ({
    bytes: await metrics.read(isAdministrator(principal) ? "all" : "public"),
    type: metrics.type,
  }),
};

const MOST_DAYS = 90;

/** The sums by day, oldest first. */
function sumDays(days: readonly UsageDay[]): readonly UsageDay[] {
  const sums = new Map<string, UsageDay>();
  for (const each of days) {
    const sum = sums.get(each.day) ?? { day: each.day, activations: 0, reads: 0, runs: 0, failures: 0 };
    sums.set(each.day, {
      day: each.day,
      activations: sum.activations + each.activations,
      reads: sum.reads + each.reads,
      runs: sum.runs + each.runs,
      failures: sum.failures + each.failures,
    });
  }
  return [...sums.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-MOST_DAYS);
}

/** A skill whose usage the caller may see. */
interface Metered {
  readonly id: string;
  /** The only revision that the caller may see; undefined without a pin. */
  readonly pin?: number | undefined;
}

function isOpen({ pin }: Metered, revision: number | undefined): boolean {
  return pin === undefined || revision === undefined || revision === pin;
}

/** The use of a skill; for a caller with a pin, that of the pinned revision. */
function totalOf({ id, pin }: Metered, usage: CatalogueContext["usage"]["usage"]): UsageCount {
  if (pin === undefined) return usage.total(id);
  const own = usage.revisions(id).find(({ revision }) => revision === pin) ?? new Usage().total(id);
  return { ...own, revision: undefined };
}

async function listVisible(
  principal: Principal,
  context: CatalogueContext,
): Promise<ReadonlyMap<string, Metered>> {
  const viewer = await requestViewer(principal, {}, context);
  const entries: readonly SkillEntry[] = await context.library.list(viewer);
  return new Map(
    entries.map((entry) => {
      const held = context.skills.findSnapshot(entry);
      return [entry.id, { id: entry.id, pin: held && pinFor(held, { principal, viewer }) }];
    }),
  );
}

/** Administrators also see the usage of hidden and deleted skills. */
async function getMetered(key: string, principal: Principal, context: CatalogueContext): Promise<Metered> {
  const id = await skillIdOf(key, context);
  if (isAdministrator(principal) && (await context.registry.store.findSkill(id)) !== undefined) return { id };
  const viewer = await requestViewer(principal, {}, context);
  const entry = await context.library.find(viewer, id);
  if (entry === undefined) throw noSkill(key);
  const held = context.skills.findSnapshot(entry);
  return { id: entry.id, pin: held && pinFor(held, { principal, viewer }) };
}

/** Leaves unknown numbers out. */
function metricView({ revision, durationMs, lastUsedAt, ...counts }: UsageCount): SkillMetrics {
  return {
    ...counts,
    ...(revision === undefined ? {} : { revision }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  };
}
