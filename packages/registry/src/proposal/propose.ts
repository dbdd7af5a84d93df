import { combineDigests } from "@skillhold/core/bundle";
import type { KeptRun, Proposed, ProposedChange } from "@skillhold/core/session";
import type { Digest, EvidenceNote, ProposalOrigin, SkillEvent, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { notFound } from "../ownership/ownership.ts";
import { skillLock } from "../record/lock.ts";
import {
  currentGeneration,
  openStates,
  type Proposal,
  type ProposalActor,
  type ProposalEvidence,
  type Repetition,
} from "../record/proposal.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { type CandidateCheck, checkCandidate, readTree, stageProposed, withTrees } from "./candidate.ts";
import { applyChange } from "./change.ts";
import { withoutToken } from "./state.ts";

export interface NewProposal {
  readonly author: ProposalActor;
  readonly origin: ProposalOrigin;
  readonly justification: string;
  readonly evidence?: readonly EvidenceNote[];
  readonly runs?: readonly KeptRun[];
  readonly session?: string | undefined;
  readonly repetition?: Repetition | undefined;
  readonly subject: ProposalSubject;
  readonly change: ProposedChange | { readonly candidate: readonly StagedFile[] };
}

/** A new skill, a skill of the registry, or a skill in a folder with the files that the author read. */
export type ProposalSubject =
  | { readonly kind: "create"; readonly id?: string | undefined }
  | { readonly kind: "registry"; readonly skill: string; readonly base: Digest }
  | {
      readonly kind: "folder";
      readonly skill: SkillId;
      readonly folder: string;
      readonly files: readonly StagedFile[];
    };

/**
 * Stores a proposal. An open proposal with the same candidate is returned in its place. Throws LIMIT_EXCEEDED above the
 * caps per skill and per session.
 */
export async function propose(request: NewProposal, context: RegistryContext): Promise<Proposed> {
  const { limits, ids, clock } = context;
  const { author, subject } = request;
  const texts = checkTexts(request, limits);
  const base = await readBase(subject, context);
  const change = "candidate" in request.change ? request.change.candidate : undefined;
  const files = change ?? applyChange(base?.files ?? [], request.change as ProposedChange, limits);
  const staged = await stageProposed(files, idOf(subject), limits);
  if (staged.treeHash === base?.hash)
    throw new SkillError("USAGE", `The proposal changes no file of ${staged.id}.`, {
      hint: "Send edits, files or a diff that change the skill.",
    });
  const isEmpty = base?.files.length === 0;
  const check = await checkCandidate(staged, isEmpty ? undefined : base?.files, context);
  const at = clock.now().toISOString();
  const proposal: Proposal = {
    id: ids.next(),
    kind: subject.kind === "create" ? "create" : "update",
    skill: staged.id,
    folder: subject.kind === "folder" ? subject.folder : undefined,
    origin: request.origin,
    state: check.verdict === "block" ? "quarantined" : "pending",
    author,
    session: request.session,
    ...texts,
    generations: [
      {
        base: base?.hash,
        candidate: staged.treeHash,
        verdict: check.verdict,
        widened: check.widened,
        by: withoutToken(author),
        at,
      },
    ],
    reviews: [],
    applied: undefined,
    ...(request.repetition === undefined ? {} : { repetition: request.repetition }),
    createdAt: at,
    updatedAt: at,
  };
  const own = [staged.treeHash, staged.files] as const;
  const trees = base === undefined ? [own] : [own, [base.hash, base.files] as const];
  const { stored, isNew } = await withTrees(
    trees,
    context,
    (tx) => tx.lock(skillLock(proposal.skill)),
    (tx) => insert(proposal, check, limits, tx),
  );
  return describe(stored, isNew);
}

interface Base {
  readonly hash: Digest;
  readonly files: readonly StagedFile[];
}

async function readBase(subject: ProposalSubject, context: RegistryContext): Promise<Base | undefined> {
  switch (subject.kind) {
    case "create":
      return undefined;
    case "folder":
      return { hash: combineDigests(subject.files), files: subject.files };
    case "registry":
      return await readRevision(subject, context);
  }
}

/** The content must be one of the skill's revisions, so that no other tree can be read through a proposal. */
async function readRevision(
  { skill: id, base }: Extract<ProposalSubject, { readonly kind: "registry" }>,
  { store }: RegistryContext,
): Promise<Base> {
  const skill = await store.findSkill(id);
  if (skill === undefined || skill.status === "deleted") throw notFound(id);
  if (skill.isSystem)
    throw new SkillError("CONFLICT", `${id} is a system skill, which changes only with Skillhold.`, {
      hint: "Propose a new skill with another name.",
      details: { id },
    });
  const revisions = await store.listRevisions(skill.uid);
  if (!revisions.some(({ treeHash, purgedAt }) => treeHash === base && purgedAt === undefined))
    throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision with the hash ${base}.`, {
      details: { id, hash: base },
    });
  return { hash: base, files: await readTree(base, store) };
}

function idOf(subject: ProposalSubject): string | undefined {
  return subject.kind === "create" ? subject.id : subject.skill;
}

type Inserted = { readonly stored: Proposal; readonly isNew: boolean };

async function insert(
  proposal: Proposal,
  check: CandidateCheck,
  limits: Limits,
  tx: RegistryTransaction,
): Promise<Inserted> {
  const { skill, session, folder, createdAt: at } = proposal;
  const { candidate, base } = currentGeneration(proposal);
  const same = await tx.listProposals({ skill, candidate, states: openStates, limit: 100 });
  const equal = same.find((each) => each.folder === folder && currentGeneration(each).base === base);
  if (equal !== undefined) return { stored: equal, isNew: false };
  await rejectMore(skill, session, limits, tx);
  const registered = await tx.findSkill(skill);
  const current = registered === undefined || registered.status === "deleted" ? undefined : registered;
  if (proposal.kind === "create") rejectTaken(skill, current);
  const isStale = folder === undefined && current?.treeHash !== base;
  const stored: Proposal = isStale ? { ...proposal, state: "stale" } : proposal;
  for (const { hash, report } of check.reports) await tx.putGuardReport(hash, report, at);
  await tx.putProposal(stored);
  await tx.append(createdEvent(stored));
  return { stored, isNew: true };
}

async function rejectMore(
  skill: string,
  session: string | undefined,
  { proposalsPerSkill, proposalsPerSession }: Limits,
  tx: RegistryTransaction,
): Promise<void> {
  const open = await tx.listProposals({ skill, states: openStates, limit: proposalsPerSkill });
  if (open.length >= proposalsPerSkill)
    throw new SkillError(
      "LIMIT_EXCEEDED",
      `The skill ${skill} has ${open.length} open proposals (limit proposalsPerSkill).`,
      { hint: "Review or withdraw some of them first.", details: { limit: "proposalsPerSkill" } },
    );
  if (session === undefined) return;
  const own = await tx.listProposals({ session, limit: proposalsPerSession });
  if (own.length < proposalsPerSession) return;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `This session has made ${own.length} proposals (limit proposalsPerSession).`,
    { hint: "Wait for a review of them.", details: { limit: "proposalsPerSession" } },
  );
}

function rejectTaken(id: string, current: RegisteredSkill | undefined): void {
  if (current === undefined) return;
  throw new SkillError("CONFLICT", `The id ${id} is taken.`, {
    hint: "Give the skill another name, or read the existing skill and propose a change of it.",
    details: { id },
  });
}

function createdEvent(proposal: Proposal): SkillEvent {
  const { base, candidate } = currentGeneration(proposal);
  const { id, skill, author, kind, state, session, createdAt } = proposal;
  return {
    type: "proposal.created",
    at: createdAt,
    skill,
    by: withoutToken(author),
    proposal: id,
    hash: candidate,
    state,
    kind,
    ...(base === undefined ? {} : { base }),
    ...(session === undefined ? {} : { session }),
  };
}

function describe(proposal: Proposal, isNew: boolean): Proposed {
  const { id, skill, kind, state } = proposal;
  const { candidate, widened = [] } = currentGeneration(proposal);
  return { id, skill, kind, state, isNew, candidate, widened };
}

function checkTexts(
  { justification, evidence = [], runs = [] }: NewProposal,
  { proposalTextLength, proposalEvidence, evidenceOutputLength }: Limits,
): Pick<Proposal, "justification" | "evidence"> {
  const text = justification.trim();
  if (text === "") throw new SkillError("USAGE", "The justification is empty.", { hint: WHY });
  rejectLong("justification", text, proposalTextLength);
  const notes = evidence.flatMap(({ kind, value }) => (kind === "run" ? [] : [{ kind, value }]));
  for (const { value } of notes) rejectLong("evidence", value, proposalTextLength);
  const end = (output: string) => output.slice(-evidenceOutputLength - 1);
  const kept = runs.map((run): ProposalEvidence => {
    return { kind: "run", ...run, stdout: end(run.stdout), stderr: end(run.stderr) };
  });
  const all = [...notes, ...kept];
  if (all.length <= proposalEvidence) return { justification: text, evidence: all };
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The proposal has ${all.length} pieces of evidence. The limit proposalEvidence allows ${proposalEvidence}.`,
    { details: { limit: "proposalEvidence", max: proposalEvidence } },
  );
}

const WHY = "Say why the skill should change.";

function rejectLong(what: string, text: string, max: number): void {
  if (text.length <= max) return;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The ${what} has ${text.length} characters. The limit proposalTextLength allows ${max}.`,
    { details: { limit: "proposalTextLength", max } },
  );
}
