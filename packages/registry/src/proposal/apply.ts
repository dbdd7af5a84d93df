import type { Actor, Digest, Trust } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentActor, systemActor } from "../ownership/ownership.ts";
import { currentGeneration, type Proposal, type ProposalActor } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import { publishStaged } from "../release/publish.ts";
import { deleteSkill } from "../release/remove.ts";
import { getRevisionOf } from "../release/revisions.ts";
import { readTree, stageProposed } from "./candidate.ts";
import { findFolderHash, writeFolder } from "./folder-skill.ts";
import { aboutOf, getProposal, lockProposal } from "./proposals.ts";
import { actOn, staleProposal, withoutToken } from "./state.ts";

export interface AppliedChange {
  readonly proposal: Proposal;
  /** False if the proposal was already applied. */
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

/**
 * Applies an approved proposal: publishes its candidate as a revision, or writes it to the skill's folder. The revision
 * and the state of the proposal are one transaction, so a proposal is applied once or not at all. Throws PROPOSAL_STALE
 * if the skill changed since.
 */
export async function applyProposal(
  id: string,
  by: ProposalActor,
  context: RegistryContext,
): Promise<AppliedChange> {
  const proposal = await getProposal(id, by, context);
  if (proposal.state === "applied") return { proposal, isNew: false, warnings: [] };
  const staged = await stageCandidate(proposal, context);
  return proposal.folder === undefined
    ? await applyToRegistry(proposal, staged, by, context)
    : await applyToFolder(proposal, proposal.folder, staged, by, context);
}

async function stageCandidate(proposal: Proposal, { store, limits }: RegistryContext): Promise<StagedSkill> {
  const { candidate } = currentGeneration(proposal);
  const staged = await stageProposed(await readTree(candidate, store), proposal.skill, limits);
  if (staged.treeHash === candidate) return staged;
  throw new SkillError(
    "INTEGRITY_FAILED",
    `The stored candidate of the proposal ${proposal.id} is damaged.`,
    {
      details: { proposal: proposal.id },
    },
  );
}

async function applyToRegistry(
  proposal: Proposal,
  staged: StagedSkill,
  by: ProposalActor,
  context: RegistryContext,
): Promise<AppliedChange> {
  const { id, skill, author } = proposal;
  await context.store.transaction(async (tx) => {
    const { proposal: locked, acting } = await lockProposal(id, by, tx, context);
    // Rejects before the expensive scans.
    actOn(locked, { type: "apply", current: await currentTree(skill, tx), revision: undefined }, acting);
  });
  let applied: Proposal | undefined;
  const published = await publishStaged(
    staged,
    {
      by: withoutToken(by),
      author: withoutToken(author),
      exportedTrust: await mostTrust(proposal, context.store),
      provenance: { source: "proposal", proposal: id },
    },
    context,
    async ({ revision }, tx) => {
      const { proposal: locked, acting } = await lockProposal(id, by, tx, context);
      const act = {
        type: "apply",
        current: await currentTree(skill, tx),
        revision: revision.revision,
      } as const;
      const changed = actOn(locked, act, acting);
      if (locked.state === "applied") throw new AlreadyApplied(locked);
      await tx.putProposal(changed);
      applied = changed;
      return [{ type: "proposal.applied", ...aboutOf(changed, by), revision: revision.revision }];
    },
  ).catch((error: unknown) => {
    if (error instanceof AlreadyApplied) return error;
    throw error;
  });
  if (published instanceof AlreadyApplied)
    return { proposal: published.proposal, isNew: false, warnings: [] };
  if (applied === undefined) {
    // The content is current already: another process applied the proposal, or the base has moved.
    const now = await getProposal(id, by, context);
    if (now.state !== "applied") throw staleProposal(proposal);
    return { proposal: now, isNew: false, warnings: [] };
  }
  await removeDraft(proposal, context);
  return { proposal: applied, isNew: true, warnings: published.warnings };
}

/** The private draft of a promoted skill ends when the skill itself is there. */
async function removeDraft({ id, origin, skill }: Proposal, context: RegistryContext): Promise<void> {
  if (origin !== "promotion") return;
  const draft = await context.store.findSkill(`${skill}-draft`);
  if (draft === undefined || draft.status === "deleted") return;
  const { provenance } = await getRevisionOf(draft, draft.revision, context.store);
  if (provenance.proposal === id) await deleteSkill(draft.uid, { by: systemActor }, context);
}

/** Cancels a release because another process applied the proposal first. */
class AlreadyApplied extends Error {
  readonly proposal: Proposal;

  constructor(proposal: Proposal) {
    super("The proposal is already applied.");
    this.proposal = proposal;
  }
}

/** A change keeps at most the trust of the skill. A new skill gets at most the trust of its author. */
async function mostTrust({ kind, skill: id, author }: Proposal, reader: RegistryReader): Promise<Trust> {
  if (kind === "create") return trustOfAuthor(author);
  const skill = await reader.findSkill(id);
  if (skill === undefined) return "third_party";
  return (await getRevisionOf(skill, skill.revision, reader)).trust;
}

function trustOfAuthor(author: Actor): Trust {
  if (isAgentActor(author)) return "third_party";
  return author.role === "admin" ? "org" : "user";
}

/** The tree hash of a skill of the registry; undefined for one that does not exist. */
export async function currentTree(id: string, reader: RegistryReader): Promise<Digest | undefined> {
  const skill = await reader.findSkill(id);
  return skill === undefined || skill.status === "deleted" ? undefined : skill.treeHash;
}

/** The folder is written first. After a crash the next call finds the candidate in place and only records it. */
async function applyToFolder(
  proposal: Proposal,
  folder: string,
  staged: StagedSkill,
  by: ProposalActor,
  context: RegistryContext,
): Promise<AppliedChange> {
  const { base } = currentGeneration(proposal);
  if (base === undefined) throw staleProposal(proposal);
  const act = { type: "apply", current: base, revision: undefined } as const;
  await context.store.transaction(async (tx) => {
    const { proposal: locked, acting } = await lockProposal(proposal.id, by, tx, context);
    actOn(locked, act, acting);
  });
  const candidate = { hash: staged.treeHash, files: staged.files };
  if (!(await writeFolder(folder, base, candidate, context.limits))) {
    await outdateFolder(proposal, by, context);
    throw staleProposal(proposal);
  }
  return await context.store.transaction(async (tx) => {
    const { proposal: locked, acting } = await lockProposal(proposal.id, by, tx, context);
    const changed = actOn(locked, act, acting);
    if (changed === locked) return { proposal: locked, isNew: false, warnings: [] };
    await tx.putProposal(changed);
    await tx.append({ type: "proposal.applied", ...aboutOf(changed, by) });
    return { proposal: changed, isNew: true, warnings: [] };
  });
}

/** Marks a proposal for a folder as stale when the folder has another content than its base. */
export async function outdateFolder(
  { id, folder, ...given }: Proposal,
  by: ProposalActor,
  context: RegistryContext,
): Promise<Proposal> {
  const { base } = currentGeneration(given);
  const known = base === undefined ? [] : [base];
  const current = folder === undefined ? base : await findFolderHash(folder, known, context.limits);
  return await context.store.transaction(async (tx) => {
    const { proposal, acting } = await lockProposal(id, by, tx, context);
    const changed = actOn(proposal, { type: "outdate", current }, acting);
    if (changed === proposal) return proposal;
    await tx.putProposal(changed);
    await tx.append({ type: "proposal.stale", ...aboutOf(changed, by) });
    return changed;
  });
}
