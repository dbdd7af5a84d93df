import { combineDigests } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { mergeTrees } from "../install/merge.ts";
import { skillLock } from "../record/lock.ts";
import { currentGeneration, type Proposal, type ProposalActor } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { readBundle } from "../release/read-bundle.ts";
import { currentTree } from "./apply.ts";
import { checkCandidate, readTree, stageProposed, withTrees } from "./candidate.ts";
import { aboutOf, getProposal, lockProposal } from "./proposals.ts";
import { actOn, staleProposal, withoutToken } from "./state.ts";

/**
 * Merges a proposal into the current content of its skill, as a new generation that needs a new review. A conflict changes
 * nothing. A proposal with the current base is inspected again, for example after a waiver.
 */
export async function rebaseProposal(
  id: string,
  by: ProposalActor,
  context: RegistryContext,
): Promise<Proposal> {
  const { store, limits } = context;
  const proposal = await getProposal(id, by, context);
  const { base, candidate } = currentGeneration(proposal);
  const target = await readTarget(proposal, context);
  if ((base === undefined) !== (target === undefined)) throw cannotRebase(proposal);
  const ours = await readTree(candidate, store);
  const files =
    base === undefined || target === undefined || base === target.hash
      ? ours
      : merge(proposal, await readTree(base, store), ours, target.files);
  const staged = await stageProposed(files, proposal.skill, limits);
  if (staged.treeHash === target?.hash)
    throw new SkillError("CONFLICT", `The skill ${proposal.skill} already has the changes of the proposal.`, {
      hint: "Reject or withdraw the proposal.",
      details: { proposal: id },
    });
  const check = await checkCandidate(staged, target?.files, context);
  const own = [staged.treeHash, staged.files] as const;
  const trees = target === undefined ? [own] : [own, [target.hash, target.files] as const];
  return await withTrees(
    trees,
    context,
    (tx) => tx.lock(skillLock(proposal.skill)),
    async (tx) => {
      const { proposal: locked, acting } = await lockProposal(id, by, tx, context);
      // Another rebase or release was faster.
      if (currentGeneration(locked).candidate !== candidate) throw staleProposal(locked);
      if (locked.folder === undefined && (await currentTree(locked.skill, tx)) !== target?.hash)
        throw staleProposal(locked);
      const { verdict, widened } = check;
      const generation = {
        ...{ base: target?.hash, candidate: staged.treeHash, verdict, widened },
        ...{ by: withoutToken(by), at: acting.at },
      };
      const changed = actOn(locked, { type: "rebase", generation }, acting);
      for (const { hash, report } of check.reports) await tx.putGuardReport(hash, report, acting.at);
      await tx.putProposal(changed);
      const from = target === undefined ? {} : { base: target.hash };
      await tx.append({ type: "proposal.rebased", ...aboutOf(changed, by), ...from });
      return changed;
    },
  );
}

interface Target {
  readonly hash: Digest;
  readonly files: readonly StagedFile[];
}

async function readTarget(
  { skill, folder }: Proposal,
  { store, limits }: RegistryContext,
): Promise<Target | undefined> {
  if (folder !== undefined) {
    const { files } = await readBundle(folder, { within: folder }, limits);
    return { hash: combineDigests(files), files };
  }
  const hash = await currentTree(skill, store);
  return hash === undefined ? undefined : { hash, files: await readTree(hash, store) };
}

function merge(
  { id, skill }: Proposal,
  base: readonly StagedFile[],
  ours: readonly StagedFile[],
  theirs: readonly StagedFile[],
): readonly StagedFile[] {
  const merged = mergeTrees(base, ours, theirs);
  if (merged.kind === "merged") return merged.files;
  const { conflicts } = merged;
  const named = conflicts.map(({ path, reason }) => `${path} (${reason})`).join(", ");
  throw new SkillError(
    "CONFLICT",
    `The proposal ${id} conflicts with the current content of ${skill}: ${named}. The proposal is unchanged.`,
    { hint: "Make a new proposal from the current content.", details: { proposal: id, skill, conflicts } },
  );
}

function cannotRebase({ id, skill, kind }: Proposal): SkillError {
  const reason = kind === "create" ? "exists now" : "is deleted";
  return new SkillError(
    "CONFLICT",
    `The skill ${skill} ${reason}, so the proposal ${id} cannot be rebased.`,
    {
      hint: "Reject or withdraw the proposal, and make a new one.",
      details: { proposal: id, skill },
    },
  );
}
