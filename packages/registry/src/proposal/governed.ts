import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { combineDigests } from "@skillhold/core/bundle";
import type { SkillId } from "@skillhold/protocol";
import { replaceFolder } from "../exchange/replace-folder.ts";
import { recoverSwaps } from "../exchange/swap-folder.ts";
import { systemActor } from "../ownership/ownership.ts";
import { currentGeneration, openStates, type Proposal } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { readBundle } from "../release/read-bundle.ts";
import { emptyTree } from "./folder-skill.ts";
import { withdrawProposal } from "./proposals.ts";
import { propose } from "./propose.ts";

/** A skill of a governed folder. */
export interface GovernedSkill {
  readonly id: SkillId;
  /** The folder that people edit; undefined after it was removed. */
  readonly folder: string | undefined;
  /** The folder with the approved content, which is served. */
  readonly approved: string;
}

const JUSTIFICATION = "The skill was changed outside review.";

/**
 * Compares a skill on disk with its approved content. A difference becomes a proposal, and a proposal of an earlier
 * difference is withdrawn. A difference that was rejected is not proposed again. Throws if the edit is no valid skill.
 */
export async function proposeEdit(skill: GovernedSkill, context: RegistryContext): Promise<void> {
  const { id, folder, approved } = skill;
  recoverSwaps(dirname(approved));
  const edited = folder === undefined ? undefined : await readFolder(folder, context);
  const files = existsSync(approved) ? await readFolder(approved, context) : [];
  const [base, candidate] = [combineDigests(files), combineDigests(edited ?? files)];
  const isCurrent = (proposal: Proposal) => {
    const generation = currentGeneration(proposal);
    return generation.base === base && generation.candidate === candidate;
  };
  const all = await context.store.listProposals({ skill: id, limit: MOST_PROPOSALS });
  const about = all.filter((each) => each.folder === approved);
  const own = about.filter(({ origin }) => origin === "outside");
  const open = own.filter(({ state }) => openStates.some((each) => each === state));
  for (const proposal of open)
    if (candidate === base || !isCurrent(proposal)) await withdrawProposal(proposal.id, systemActor, context);
  if (edited === undefined || candidate === base) return;
  // A proposal of a session changed the approved content, and the folder still has the content before.
  const isBehind = (each: Proposal) => each.state === "applied" && currentGeneration(each).base === candidate;
  if (about.some((each) => !own.includes(each) && isBehind(each))) return;
  if (own.some((each) => isCurrent(each) && (each.state === "rejected" || open.includes(each)))) return;
  mkdirSync(approved, { recursive: true, mode: 0o700 });
  await propose(
    {
      ...{ author: systemActor, origin: "outside", justification: JUSTIFICATION },
      subject: { kind: "folder", skill: id, folder: approved, files },
      change: { candidate: edited },
    },
    context,
  );
}

const MOST_PROPOSALS = 1000;

/** Accepts the content of a folder that was never governed before as approved. */
export async function approveFirst(
  { folder = "", approved }: GovernedSkill,
  context: Pick<RegistryContext, "limits">,
): Promise<void> {
  const files = await readFolder(folder, context);
  await replaceFolder(approved, files, { extras: [], isExpected: async () => false });
}

/** Whether a governed folder has content that was approved. */
export async function isApproved(
  approved: string,
  { limits }: Pick<RegistryContext, "limits">,
): Promise<boolean> {
  recoverSwaps(dirname(approved));
  if (!existsSync(approved)) return false;
  return combineDigests(await readFolder(approved, { limits })) !== emptyTree;
}

async function readFolder(
  folder: string,
  { limits }: Pick<RegistryContext, "limits">,
): Promise<readonly StagedFile[]> {
  return (await readBundle(folder, { within: folder }, limits)).files;
}
