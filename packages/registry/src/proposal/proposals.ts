import type { Digest, ProposalDecision, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentActor, isManager } from "../ownership/ownership.ts";
import { skillLock } from "../record/lock.ts";
import { currentGeneration, type Proposal, type ProposalActor } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader, RegistryTransaction } from "../record/registry-store.ts";
import { mayWithdraw } from "./author.ts";
import { type ActContext, actOn, mayReview, type ProposalAct, withoutToken } from "./state.ts";

/** Throws PROPOSAL_NOT_FOUND for an unknown proposal, and for one that the actor may not see. */
export async function getProposal(
  id: string,
  by: ProposalActor,
  context: RegistryContext,
): Promise<Proposal> {
  const proposal = await context.store.findProposal(id);
  if (proposal === undefined || !(await maySee(proposal, by, context.store, context))) throw notThere(id);
  return proposal;
}

/** Authors see their proposals, and reviewers those that they may decide on. */
export async function maySee(
  proposal: Proposal,
  by: ProposalActor,
  reader: RegistryReader,
  { reviewers = [] }: Pick<RegistryContext, "reviewers">,
): Promise<boolean> {
  if (mayWithdraw(proposal.author, by)) return true;
  return mayReview({ by, reviewers, isManager: await manages(proposal, by, reader) });
}

/** Whether an actor decides on the skill of a proposal: administrators always, and its owner and managers. */
export async function manages(
  proposal: Pick<Proposal, "skill" | "folder" | "kind" | "author">,
  by: ProposalActor,
  reader: RegistryReader,
): Promise<boolean> {
  if (isAgentActor(by) || by.role === "viewer") return false;
  if (by.role === "admin" || by.role === "system") return true;
  // The folders of a machine belong to its administrators.
  if (proposal.folder !== undefined) return false;
  const skill = await reader.findSkill(proposal.skill);
  // The author owns a new skill, and so does the user that the author acts for.
  if (skill === undefined || skill.status === "deleted") return proposal.author.user === by.user;
  return isManager(skill, await reader.listGrants([skill.uid]), by);
}

export interface ReviewOptions {
  readonly by: ProposalActor;
  readonly decision: ProposalDecision;
  readonly comment?: string | undefined;
  /** The candidate that the reviewer saw; another one is not reviewed. */
  readonly candidate?: Digest | undefined;
}

/** Records a decision or a comment. */
export async function reviewProposal(
  id: string,
  { by, decision, comment, candidate }: ReviewOptions,
  context: RegistryContext,
): Promise<Proposal> {
  const text = checkComment(comment, context);
  if (decision === "comment" && text === undefined) throw new SkillError("USAGE", "A comment needs a text.");
  const act = { type: "review", decision, comment: text } as const;
  return await change(id, act, by, context, {
    check: (proposal) => {
      if (candidate === undefined || candidate === currentGeneration(proposal).candidate) return;
      throw new SkillError("PRECONDITION_FAILED", `The proposal ${id} has changed since you read it.`, {
        hint: "Read the proposal again and review its new candidate.",
        details: { proposal: id },
      });
    },
    event: (proposal) => ({ type: "proposal.reviewed", ...aboutOf(proposal, by), decision }),
  });
}

export async function withdrawProposal(
  id: string,
  by: ProposalActor,
  context: RegistryContext,
): Promise<Proposal> {
  return await change(id, { type: "withdraw" }, by, context, {
    event: (proposal) => ({ type: "proposal.withdrawn", ...aboutOf(proposal, by) }),
  });
}

interface ChangeSteps {
  readonly check?: (proposal: Proposal) => void;
  readonly event: (changed: Proposal) => SkillEvent;
}

async function change(
  id: string,
  act: ProposalAct,
  by: ProposalActor,
  context: RegistryContext,
  { check, event }: ChangeSteps,
): Promise<Proposal> {
  return await context.store.transaction(async (tx) => {
    const { proposal, acting } = await lockProposal(id, by, tx, context);
    check?.(proposal);
    const changed = actOn(proposal, act, acting);
    await tx.putProposal(changed);
    await tx.append(event(changed));
    return changed;
  });
}

export interface LockedProposal {
  readonly proposal: Proposal;
  readonly acting: ActContext;
}

/** The proposal with its skill locked, and the rights of the actor. */
export async function lockProposal(
  id: string,
  by: ProposalActor,
  tx: RegistryTransaction,
  context: RegistryContext,
): Promise<LockedProposal> {
  const { clock, reviewers = [] } = context;
  const found = await tx.findProposal(id);
  if (found === undefined) throw notThere(id);
  await tx.lock(skillLock(found.skill));
  const proposal = (await tx.findProposal(id)) ?? found;
  if (!(await maySee(proposal, by, tx, context))) throw notThere(id);
  const isManager = await manages(proposal, by, tx);
  return { proposal, acting: { by, isManager, reviewers, at: clock.now().toISOString() } };
}

/** The fields that all events of a proposal have. */
export function aboutOf(proposal: Proposal, by: ProposalActor) {
  const { id, skill, state, updatedAt } = proposal;
  const { candidate } = currentGeneration(proposal);
  return { at: updatedAt, skill, by: withoutToken(by), proposal: id, hash: candidate, state } as const;
}

function checkComment(comment: string | undefined, { limits }: RegistryContext): string | undefined {
  const text = comment?.trim() ?? "";
  if (text === "") return undefined;
  if (text.length <= limits.proposalTextLength) return text;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The comment has ${text.length} characters. The limit proposalTextLength allows ${limits.proposalTextLength}.`,
    { details: { limit: "proposalTextLength", max: limits.proposalTextLength } },
  );
}

function notThere(id: string): SkillError {
  return new SkillError("PROPOSAL_NOT_FOUND", `There is no proposal ${id.slice(0, 80)}.`, {
    details: { proposal: id.slice(0, 80) },
  });
}

/** The acts that an actor may take on a proposal now. */
export interface ProposalPermissions {
  readonly comment: boolean;
  readonly approve: boolean;
  readonly reject: boolean;
  readonly apply: boolean;
  readonly rebase: boolean;
  readonly withdraw: boolean;
}

/** Tries each act without its effect. */
export async function permissionsOf(
  proposal: Proposal,
  by: ProposalActor,
  { store, clock, reviewers = [] }: RegistryContext,
): Promise<ProposalPermissions> {
  const isManager = await manages(proposal, by, store);
  const acting: ActContext = { by, isManager, reviewers, at: clock.now().toISOString() };
  const generation = currentGeneration(proposal);
  const may = (act: ProposalAct): boolean => {
    try {
      actOn(proposal, act, acting);
      return true;
    } catch (error) {
      if (error instanceof SkillError) return false;
      throw error;
    }
  };
  const decide = (decision: ProposalDecision) => may({ type: "review", decision, comment: undefined });
  return {
    comment: decide("comment"),
    approve: decide("approve"),
    reject: decide("reject"),
    apply:
      proposal.state === "approved" && may({ type: "apply", current: generation.base, revision: undefined }),
    rebase: ["stale", "quarantined"].includes(proposal.state) && may({ type: "rebase", generation }),
    withdraw: may({ type: "withdraw" }),
  };
}
