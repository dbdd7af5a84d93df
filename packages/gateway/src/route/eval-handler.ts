import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { addEvalResult, getEvalResult, latestEvals } from "@skillhold/registry/eval";
import { getProposal } from "@skillhold/registry/proposal";
import { currentGeneration, type EvalResult, type RegistryContext } from "@skillhold/registry/record";
import { getRevision } from "@skillhold/registry/release";
import { z } from "zod";
import { type Principal, principalActor, proposalActor } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { SkillTexts } from "../gateway-context.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { type DisclosedSkill, getDisclosedSkill, isOverseer } from "../skill/disclosed-skill.ts";
import { readPage } from "./page.ts";

type EvalOperation = "listEvals" | "getEval" | "addEval" | "scoreTriggers" | "getProposalEvals";

const position = z.tuple([z.string(), z.string()]);
type Position = z.infer<typeof position>;
type EvalHead = Pick<EvalResult, "addedAt" | "id" | "summary">;

export const evalHandlers: Pick<Handlers, EvalOperation> = {
  listEvals: async ({ principal, params: { id }, query }, context) => {
    const known = await getDisclosedSkill(id, { principal }, context);
    const held = stored(known);
    const { uid } = held.current.skill;
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
    const isManager = isOverseer(held, principal);
    const evals = rows
      .map(({ summary }) => ({
        ...summary,
        revisions: (numbers.get(summary.treeHash) ?? []).map(({ revision }) => revision),
      }))
      // A content without a revision is a proposal, which only its reviewers may know.
      .filter(({ revisions }) => isManager || revisions.length > 0);
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
  getProposalEvals: async ({ principal, params }, context) => {
    const { registry } = context;
    const proposal = await getProposal(params.proposal, proposalActor(principal), registry);
    const { base, candidate } = currentGeneration(proposal);
    const before = base === undefined ? undefined : await textsOf(base, registry);
    const after = await textsOf(candidate, registry);
    const viewer = await requestViewer(principal, {}, context);
    const triggers = await context.compareTriggers?.({ skill: proposal.skill, before, after }, viewer);
    const uid = (await registry.store.findSkill(proposal.skill))?.uid;
    const latest = async (hash: Digest | undefined) =>
      uid === undefined || hash === undefined ? [] : await latestEvals(uid, hash, registry);
    return {
      data: {
        ...(triggers === undefined ? {} : { triggers }),
        before: await latest(base),
        after: await latest(candidate),
      },
    };
  },
};

/** The texts by which search ranks: SKILL.md and the queries. */
const RANKED_TEXT = /^(?:SKILL\.md|evals\/[^/]+\.json)$/;
const LARGEST_TEXT = 256 * 1024;

async function textsOf(hash: Digest, { store }: RegistryContext): Promise<SkillTexts> {
  const files = (await store.findTree(hash)) ?? [];
  const ranked = files.filter(({ path, size }) => RANKED_TEXT.test(path) && size <= LARGEST_TEXT);
  const texts = ranked.map(
    async ({ path, digest }) => [path, new TextDecoder().decode(await store.blobs.get(digest))] as const,
  );
  return new Map(await Promise.all(texts));
}

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
