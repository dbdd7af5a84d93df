import type { Actor, ProposalState } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { comparePaths } from "@skillhold/skill";
import { grantSkill } from "../access/index.ts";
import { systemActor } from "../ownership/ownership.ts";
import { readTree, stageProposed } from "../proposal/candidate.ts";
import { applyChange } from "../proposal/change.ts";
import { propose } from "../proposal/propose.ts";
import { openStates, type ProposalActor, type Repetition } from "../record/proposal.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import { publishStaged } from "../release/publish.ts";
import { findSkillFile } from "../release/skill-file.ts";
import { authorDraft } from "./authored-draft.ts";
import { type Draft, draftSkill } from "./draft.ts";
import { type PromotionPacket, readPacket } from "./packet.ts";
import { type CheckedRepetition, checkRepetition } from "./repetition.ts";

export interface PromotionOptions {
  /** The key of the registered agent that promotes its workflow. */
  readonly agent: string;
  readonly token?: string | undefined;
  readonly session?: string | undefined;
  /** The skills that the agent can see and that fit a text, best first. */
  readonly search: (text: string) => Promise<readonly FoundSkill[]>;
}

export interface FoundSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

export interface Promoted {
  readonly proposal: string;
  readonly skill: string;
  readonly kind: "create" | "update";
  readonly state: ProposalState;
  /** The private skill that the agent can use at once; undefined if a review comes first. */
  readonly draft: string | undefined;
  readonly repetition: Repetition;
}

/**
 * Promotes a repeated workflow to a skill. The agent can use a private draft at once; everyone else gets the skill through a
 * proposal that a person reviews. A workflow close to a skill that the agent sees becomes a change of that skill.
 */
export async function promoteWorkflow(
  given: unknown,
  options: PromotionOptions,
  context: RegistryContext,
): Promise<Promoted> {
  const packet = readPacket(given);
  const { store } = context;
  const record = await store.findAgent(options.agent);
  if (record === undefined || record.removedAt !== undefined || record.key !== options.agent)
    throw new SkillError("AGENT_NOT_FOUND", `There is no agent ${options.agent.slice(0, 80)}.`, {
      details: { key: options.agent.slice(0, 80) },
    });
  const { token, session } = options;
  const by: Actor = { user: record.owner, agent: record.key, role: "agent" };
  const author: ProposalActor = { ...by, ...(token === undefined ? {} : { token }) };
  const checked = await checkRepetition(record.key, packet, store);
  const repetition = repetitionOf(checked);
  const template = draftSkill(packet, checked);
  const near = await findNear(template, packet, options, context);
  const open = near === undefined ? await findAuthored(template, repetition, by, context) : undefined;
  if (open !== undefined) return open;
  const draft = near === undefined ? await writeDraft(template, packet, checked, context) : template;
  const evidence = checked.sessions.slice(0, 10).map(({ id }) => ({ kind: "session", value: id }) as const);
  const request = { author, origin: "promotion", session, repetition, evidence } as const;
  const justification = justify(packet, repetition);
  const proposed =
    near === undefined
      ? await propose(
          {
            ...request,
            justification,
            subject: { kind: "create", id: draft.id },
            change: { files: [{ path: "SKILL.md", content: draft.text }] },
          },
          context,
        )
      : await propose({ ...request, justification, ...(await changeOf(near, packet, context)) }, context);
  const { id: proposal, skill, kind, state } = proposed;
  const isLive =
    kind === "create" &&
    state === "pending" &&
    repetition.verdict !== "contradicted" &&
    context.promotion !== "review";
  const live = isLive ? await publishDraft(draft, proposal, by, context) : undefined;
  return { proposal, skill, kind, state, draft: live, repetition };
}

/** The draft of the author where there is one, and else the template. */
export async function writeDraft(
  template: Draft,
  packet: PromotionPacket,
  checked: CheckedRepetition,
  { author, limits }: Pick<RegistryContext, "author" | "limits">,
): Promise<Draft> {
  return author === undefined ? template : await authorDraft(template, packet, checked, { author, limits });
}

/**
 * The open promotion of this agent for the same skill. An author writes a different text each time, so that equal packets
 * would otherwise become many proposals.
 */
async function findAuthored(
  { id }: Draft,
  repetition: Repetition,
  { agent }: Actor,
  { store, author }: RegistryContext,
): Promise<Promoted | undefined> {
  if (author === undefined) return undefined;
  const proposals = await store.listProposals({ skill: id, states: openStates, limit: 100 });
  const open = proposals.find(
    (each) => each.origin === "promotion" && each.kind === "create" && each.author.agent === agent,
  );
  if (open === undefined) return undefined;
  const draft = await store.findSkill(draftId(id));
  const live = draft !== undefined && (await isDraftOf(agent, draft, store)) ? draftId(id) : undefined;
  return {
    proposal: open.id,
    skill: open.skill,
    kind: open.kind,
    state: open.state,
    draft: live,
    repetition,
  };
}

function repetitionOf({ workflow, claimed, found, verdict }: CheckedRepetition): Repetition {
  return { workflow, claimed, found, verdict };
}

function justify({ summary, reason }: PromotionPacket, { claimed, found, verdict }: Repetition): string {
  const proof = {
    proved: `The audit log has ${found} sessions with this workflow; the agent claims ${claimed}.`,
    claimed: `The agent claims ${claimed} repetitions, and the audit log does not show them.`,
    contradicted: `The agent claims ${claimed} repetitions, and the audit log contradicts this: it has ${found}.`,
  }[verdict];
  return [summary, ...(reason === undefined ? [] : [reason]), proof].join("\n\n");
}

/** The id of the private skill of the promoting agent. */
function draftId(id: string): string {
  return `${id}-draft`;
}

/**
 * Publishes the draft for its agent only: third-party trust, and a grant for that agent. The agent's user does not own it,
 * because an owner's other agents could use it, too. Where the operator allows that, the user gets a grant.
 */
async function publishDraft(
  { id, text }: Draft,
  proposal: string,
  { agent, user }: Actor,
  context: RegistryContext,
): Promise<string | undefined> {
  const by: Actor = { ...systemActor, role: "agent", ...(agent === undefined ? {} : { agent }) };
  const name = draftId(id);
  const before = await context.store.findSkill(name);
  if (before !== undefined && !(await isDraftOf(agent, before, context.store))) return undefined;
  const content = text.replace(/^name: .*$/m, `name: ${name}`);
  const files = applyChange([], { files: [{ path: "SKILL.md", content }] }, context.limits);
  const staged = await stageProposed(files, name, context.limits);
  await publishStaged(
    staged,
    { by, provenance: { source: "promotion", proposal } },
    context,
    async ({ revision }) => {
      rejectRace(name, before, revision.revision);
      return [];
    },
  );
  if (context.promotion === "user")
    await grantSkill(name, { kind: "user", key: user }, { by: systemActor }, context);
  return name;
}

/** Whether a skill is the draft of an agent. Another agent that promotes the same workflow gets none. */
async function isDraftOf(
  agent: string | undefined,
  { uid, owner, status, revision }: RegisteredSkill,
  reader: RegistryReader,
): Promise<boolean> {
  if (owner !== systemActor.user || status === "deleted") return false;
  const { proposal: id } = (await reader.findRevision(uid, revision))?.provenance ?? {};
  const proposal = id === undefined ? undefined : await reader.findProposal(id);
  return proposal?.author.agent !== undefined && proposal.author.agent === agent;
}

/** The draft that was checked must still be the current one when the new draft is stored. */
function rejectRace(id: string, before: RegisteredSkill | undefined, revision: number): void {
  if (revision === (before?.lastRevision ?? 0) + 1) return;
  throw new SkillError("CONFLICT", `The draft ${id} was just changed.`, { details: { id } });
}

/** A visible skill with the same id, or with most words of the workflow in its name and description. */
async function findNear(
  draft: Draft,
  { title, workflow }: PromotionPacket,
  { search }: PromotionOptions,
  { store }: RegistryContext,
): Promise<string | undefined> {
  const found = await search(`${title} ${workflow}`);
  const wanted = wordsOf(workflow);
  for (const { id, name, description } of found.slice(0, 5)) {
    const skill = await store.findSkill(id);
    if (skill === undefined || skill.isSystem || skill.status === "deleted" || id.endsWith("-draft"))
      continue;
    const known = new Set(wordsOf(`${id} ${name} ${description}`));
    const shared = wanted.filter((word) => known.has(word)).length;
    if (id === draft.id || (wanted.length > 1 && shared / wanted.length >= NEAR)) return id;
  }
  return undefined;
}

const NEAR = 0.75;

function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])].sort(comparePaths);
}

/** Adds what the agent learned to the end of the existing skill. */
async function changeOf(id: string, packet: PromotionPacket, context: RegistryContext) {
  const skill = await context.store.findSkill(id);
  const base = skill?.treeHash;
  if (skill === undefined || base === undefined)
    throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`, { details: { id } });
  const files = await readTree(base, context.store);
  const file = findSkillFile(files);
  const before = file === undefined ? "" : new TextDecoder().decode(file.content);
  const draft = draftSkill(packet, {
    workflow: packet.workflow,
    claimed: packet.count,
    found: 0,
    verdict: "claimed",
    sessions: [],
  });
  const learned = draft.text.slice(draft.text.indexOf("\n# ") + 1).replaceAll(/^(#+) /gm, "#$1 ");
  const content = `${before.trimEnd()}\n\n${learned}`;
  return {
    subject: { kind: "registry", skill: skill.id, base },
    change: { files: [{ path: file?.path ?? "SKILL.md", content }] },
  } as const;
}
