import { SkillError } from "@skillhold/protocol/error";
import type { ProposalRow, ProposalView } from "@skillhold/protocol/http";
import {
  applyProposal,
  getProposal,
  maySee,
  missingReviewers,
  outdateFolder,
  permissionsOf,
  propose,
  rebaseProposal,
  reviewProposal,
  withdrawProposal,
} from "@skillhold/registry/proposal";
import {
  currentGeneration,
  isOpen,
  type Proposal,
  type ProposalActor,
  type ProposalQuery,
  type RegistryContext,
} from "@skillhold/registry/record";
import { diffTrees } from "@skillhold/registry/release";
import { applyWaivers, diffManifests, emptyManifest } from "@skillhold/skill/guard";
import { z } from "zod";
import { type Principal, proposalActor } from "../auth/principal.ts";
import { shortHash } from "../bytes.ts";
import { isFresh, rejectStale } from "../http/condition.ts";
import type { Handlers } from "../http/handler.ts";
import { getDisclosedSkill } from "../skill/disclosed-skill.ts";
import { readPage } from "./page.ts";

type ProposalOperation =
  | "listProposals"
  | "createProposal"
  | "getProposal"
  | "diffProposal"
  | "reviewProposal"
  | "applyProposal"
  | "rebaseProposal"
  | "withdrawProposal";

export const proposalHandlers: Pick<Handlers, ProposalOperation> = {
  listProposals: async ({ query, principal }, { registry }) => {
    const by = proposalActor(principal);
    const { state: states, skill, waiting = false } = query;
    const { rows, next } = await readPage(query, {
      position: z.object({ createdAt: z.iso.datetime(), id: z.string() }),
      positionOf: ({ createdAt, id }: Row) => ({ createdAt, id }),
      list: (after, limit) => listVisible({ states, skill, after, limit }, waiting, by, registry),
    });
    return { data: { proposals: rows, ...next } };
  },
  createProposal: async ({ body, principal }, context) => {
    const { skill, base, justification, evidence = [], ...change } = body;
    const subject = await subjectOf(skill, base, principal, context);
    const author = proposalActor(principal);
    const request = { author, origin: "api", subject, change, justification, evidence } as const;
    return { data: await propose(request, context.registry) };
  },
  getProposal: async ({ params, principal }, { registry }) => {
    const by = proposalActor(principal);
    const found = await getProposal(params.proposal, by, registry);
    // The registry marks its own proposals; a folder changes without notice.
    const isWatched = found.folder === undefined || !isOpen(found);
    const proposal = isWatched ? found : await outdateFolder(found, by, registry);
    return { data: await viewOf(proposal, by, registry), etag: await tagOf(proposal, by, registry) };
  },
  diffProposal: async ({ params, principal, headers }, { registry, diffs }) => {
    const proposal = await getProposal(params.proposal, proposalActor(principal), registry);
    const { base, candidate } = currentGeneration(proposal);
    const diff = await diffTrees(base, candidate, { ...registry, diffs });
    const json = JSON.stringify(diff);
    const etag = shortHash(json);
    if (isFresh(headers, etag)) return { unchanged: etag };
    const bytes = diff.files.reduce((sum, { text = "" }) => sum + Buffer.byteLength(text), 0);
    const served = [
      { skill: proposal.skill, hash: candidate, revision: undefined, digest: candidate, bytes },
    ];
    return { json, etag, served };
  },
  reviewProposal: async ({ params, body, principal, headers }, { registry }) => {
    const by = proposalActor(principal);
    await rejectOutdated(params.proposal, headers, by, registry);
    const { decision, comment, candidate } = body;
    const done = await reviewProposal(params.proposal, { by, decision, comment, candidate }, registry);
    return { data: await proposalRow(done, by, registry), etag: await tagOf(done, by, registry) };
  },
  applyProposal: async ({ params, principal, headers }, { registry }) => {
    const by = proposalActor(principal);
    await rejectOutdated(params.proposal, headers, by, registry);
    const { proposal, warnings } = await applyProposal(params.proposal, by, registry);
    const row = await proposalRow(proposal, by, registry);
    return { data: { ...row, warnings }, etag: await tagOf(proposal, by, registry) };
  },
  rebaseProposal: async ({ params, principal, headers }, { registry }) => {
    const by = proposalActor(principal);
    await rejectOutdated(params.proposal, headers, by, registry);
    const done = await rebaseProposal(params.proposal, by, registry);
    return { data: await proposalRow(done, by, registry), etag: await tagOf(done, by, registry) };
  },
  withdrawProposal: async ({ params, principal, headers }, { registry }) => {
    const by = proposalActor(principal);
    await rejectOutdated(params.proposal, headers, by, registry);
    const done = await withdrawProposal(params.proposal, by, registry);
    return { data: await proposalRow(done, by, registry), etag: await tagOf(done, by, registry) };
  },
};

type Row = z.input<typeof ProposalRow>;

/** A person proposes for a skill that they see, and for the content that they read. */
async function subjectOf(
  skill: string | undefined,
  base: z.infer<typeof ProposalRow>["base"],
  principal: Principal,
  context: Parameters<Handlers["createProposal"]>[1],
) {
  if (skill === undefined) return { kind: "create" } as const;
  if (base === undefined)
    throw new SkillError("USAGE", "The tree hash `base` of the content that you read is required.", {
      hint: "Read the skill, and send its `treeHash` as `base`.",
    });
  const { held } = await getDisclosedSkill(skill, { principal }, context);
  if (held !== undefined) return { kind: "registry", skill: held.current.skill.id, base } as const;
  throw new SkillError("CONFLICT", `The skill ${skill} is in a folder of the gateway.`, {
    hint: "An agent that read the skill in a session can propose a change of it.",
    details: { id: skill },
  });
}

/** Reads on until a page is full, because most proposals concern other users. */
async function listVisible(
  query: ProposalQuery,
  isWaiting: boolean,
  by: ProposalActor,
  registry: RegistryContext,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let { after } = query;
  for (;;) {
    const page = await registry.store.listProposals({ ...query, after });
    for (const proposal of page) {
      after = proposal;
      if (!(await maySee(proposal, by, registry.store, registry))) continue;
      const row = await proposalRow(proposal, by, registry);
      const { state, may } = row;
      const isAsked = (state === "pending" && may.approve) || (state === "approved" && may.apply);
      if (isAsked || !isWaiting) rows.push(row);
      if (rows.length === query.limit) return rows;
    }
    if (page.length < query.limit) return rows;
  }
}

async function rejectOutdated(
  id: string,
  headers: Headers,
  by: ProposalActor,
  registry: RegistryContext,
): Promise<void> {
  if (headers.get("if-match") === null) return;
  rejectStale(headers, await tagOf(await getProposal(id, by, registry), by, registry));
}

async function tagOf(proposal: Proposal, by: ProposalActor, registry: RegistryContext): Promise<string> {
  return shortHash(JSON.stringify(await viewOf(proposal, by, registry)));
}

/** A proposal as lists show it to one caller. */
export async function proposalRow(
  proposal: Proposal,
  by: ProposalActor,
  registry: RegistryContext,
): Promise<Row> {
  const { id, kind, skill, folder, origin, state, author, justification, session, applied } = proposal;
  const { base, candidate, verdict, widened } = currentGeneration(proposal);
  return {
    ...{ id, kind, skill, isFolder: folder !== undefined, origin, state, justification, candidate },
    author: withoutToken(author),
    generation: proposal.generations.length,
    ...(base === undefined ? {} : { base }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(widened === undefined ? {} : { widened }),
    ...(session === undefined ? {} : { session }),
    ...(proposal.repetition === undefined ? {} : { repetition: proposal.repetition }),
    ...(applied === undefined ? {} : { applied: { ...applied } }),
    createdAt: proposal.createdAt,
    updatedAt: proposal.updatedAt,
    may: await permissionsOf(proposal, by, registry),
  };
}

async function viewOf(
  proposal: Proposal,
  by: ProposalActor,
  registry: RegistryContext,
): Promise<z.input<typeof ProposalView>> {
  const { candidate } = currentGeneration(proposal);
  const guard = await guardOf(proposal, registry);
  return {
    ...(await proposalRow(proposal, by, registry)),
    evidence: proposal.evidence.map((each) => ({ ...each })),
    reviews: proposal.reviews.map(({ comment, ...review }) => ({
      ...review,
      by: withoutToken(review.by),
      isCurrent: review.candidate === candidate,
      ...(comment === undefined ? {} : { comment }),
    })),
    generations: proposal.generations.map(({ base, candidate: each, by: actor, at }) => ({
      ...{ candidate: each, by: actor, at },
      ...(base === undefined ? {} : { base }),
    })),
    missingReviewers: missingReviewers(proposal, registry.reviewers ?? []),
    ...(guard === undefined ? {} : { guard }),
  };
}

async function guardOf(
  proposal: Proposal,
  { store, clock }: RegistryContext,
): Promise<z.input<typeof ProposalView>["guard"]> {
  const { base, candidate } = currentGeneration(proposal);
  const found = await store.findGuardReport(candidate);
  if (found === undefined) return undefined;
  const waivers = await store.listWaivers(proposal.skill);
  const { engine, verdict, findings, manifest } = applyWaivers(found, waivers, clock.now().toISOString());
  const before = base === undefined ? undefined : await store.findGuardReport(base);
  const { widened, narrowed } = diffManifests(before?.manifest ?? emptyManifest(engine), manifest);
  return { engine, verdict, findings, widened, narrowed };
}

function withoutToken({ token: _, ...actor }: ProposalActor) {
  return actor;
}
