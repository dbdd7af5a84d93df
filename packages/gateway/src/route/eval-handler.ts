import { SkillError } from "@skillhold/protocol/error";
import { addEvalResult, getEvalResult } from "@skillhold/registry/eval";
import type { EvalResult } from "@skillhold/registry/record";
import { getRevision } from "@skillhold/registry/release";
import { z } from "zod";
import { type Principal, principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { type DisclosedSkill, getDisclosedSkill, isOverseer } from "../skill/disclosed-skill.ts";
import { readPage } from "./page.ts";

type EvalOperation = "listEvals" | "getEval" | "addEval" | "scoreTriggers";

const position = z.tuple([z.string(), z.string()]);
type Position = z.infer<typeof position>;
type EvalHead = Pick<EvalResult, "addedAt" | "id" | "summary">;

export const evalHandlers: Pick<Handlers, EvalOperation> = {
  listEvals: async ({ principal, params: { id }, query }, context) => {
    const known = await getDisclosedSkill(id, { principal }, context);
    const { uid } = stored(known).current.skill;
    const { store } = context.registry;
    const revisions = (await store.listRevisions(uid)).filter(
      ({ revision }) => known.pin === undefined || revision === known.pin,
    );
    const treeHash = known.pin === undefined ? undefined : revisions[0]?.treeHash;
    const { rows, next } = await readPage(query, {
      position,
      positionOf: ({ addedAt, id }: EvalHead): Position => [addedAt, id],
      list: (after, limit) =>
        store.listEvals(uid, { limit, treeHash, after: after && { addedAt: after[0], id: after[1] } }),
    });
    const numbers = Map.groupBy(revisions, ({ treeHash }) => treeHash);
    const evals = rows.map(({ summary }) => ({
      ...summary,
      revisions: (numbers.get(summary.treeHash) ?? []).map(({ revision }) => revision),
    }));
    return { data: { evals, ...next } };
  },
  getEval: async ({ principal, params: { id, report } }, context) => {
    const { held } = await getOverseen(id, principal, context);
    const result = await getEvalResult(held.current.skill.uid, report, context.registry);
    return { data: { id: result.id, by: result.by, report: result.report } };
  },
  addEval: async ({ principal, params: { id }, body }, context) => {
    const { held } = await getOverseen(id, principal, context);
    const { uid } = held.current.skill;
    return { data: await addEvalResult(uid, body, principalActor(principal), context.registry) };
  },
  scoreTriggers: async ({ principal, params: { id } }, context) => {
    const { held, viewer } = await getOverseen(id, principal, context);
    const { uid, id: skill } = held.current.skill;
    if (context.scoreTriggers === undefined)
      throw new SkillError("NOT_READY", "This gateway does not run evals.", {
        hint: `Run \`skillhold eval triggers ${skill} --offline\` and add its report.`,
      });
    const { treeHash } = await getRevision(uid, undefined, context.registry);
    const report = await context.scoreTriggers({ skill, treeHash }, viewer);
    if (report === undefined)
      throw new SkillError("EVAL_NOT_FOUND", `${skill} has no trigger queries.`, {
        hint: 'Add evals/triggers.json with `[{"query": "…", "should_trigger": true}, …]` and publish it.',
      });
    return { data: await addEvalResult(uid, report, principalActor(principal), context.registry) };
  },
};

/** Reports name other skills and contain runs, which not every viewer of the skill may see. */
async function getOverseen(id: string, principal: Principal, context: CatalogueContext) {
  const known = await getDisclosedSkill(id, { principal }, context);
  const held = stored(known);
  if (isOverseer(held, principal)) return { held, viewer: known.viewer };
  throw new SkillError(
    "FORBIDDEN",
    `You cannot manage ${known.access.entry.id}, so its eval runs are hidden.`,
    {
      hint: "Ask its owner for the right to manage it.",
    },
  );
}

function stored({ held, access }: DisclosedSkill) {
  if (held !== undefined) return held;
  const { id } = access.entry;
  throw new SkillError(
    "REVISION_NOT_FOUND",
    `${id} is in a folder of the gateway, which keeps no eval results.`,
    {
      hint: `Publish it, or run \`skillhold eval show ${id}\` on that machine.`,
    },
  );
}
