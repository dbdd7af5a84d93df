import type { Digest, Limits, SkillEvent, SkillId, Trust } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { estimateTokens } from "@skillhold/skill";
import { hashSkillFile } from "../bundle/index.ts";
import type { Library, SkillContent } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { Unplaced } from "../run/index.ts";
import { adviseOnRequirements, contentWarnings } from "./activation-advice.ts";
import { type ActivatedSkill, writeActivation } from "./activation-text.ts";
import { readSupplement } from "./supplement.ts";

export type Invoker = "model" | "user";

/** The record that a session activated a skill. Its hashes identify the text that the agent read. */
export interface Activation {
  readonly skill: SkillId;
  /** The revision in the registry; absent for a skill in a folder. */
  readonly revision?: number;
  readonly treeHash: Digest;
  readonly skillHash: Digest;
  readonly source: string;
  readonly trust: Trust;
  readonly session: string;
  readonly task?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly invoker: Invoker;
  /** The tools that the skill declares; undefined means no restriction. */
  readonly allowedTools?: readonly string[];
  /** The folder of its files, for an agent with a file system. */
  readonly folder?: string;
  /** The arguments in the instructions; other arguments give another text. */
  readonly args: string;
}

export interface ActivateOptions {
  /** What the user typed after the skill's name. */
  readonly args?: string;
  /** Return the full text even if the session already has it. */
  readonly again?: boolean;
  /** Overrides the invoker of the session's viewer. Never taken from model input. */
  readonly invoker?: Invoker;
  /** Reject a text that costs more tokens; the rejection is not recorded as an activation. */
  readonly maxTokens?: number;
}

export interface Deactivation {
  readonly id: string;
  readonly wasActive: boolean;
}

type ActivatedEvent = Extract<SkillEvent, { readonly type: "skill.activated" }>;

/** The recorded facts of an activation text: enough to render it again from the content and compare digests. */
export type ActivationRecord = NonNullable<ActivatedEvent["handover"]>;

/** The context of an activation. */
export interface ActivationContext {
  readonly session: string;
  readonly task: string | undefined;
  readonly at: Date;
  readonly invoker: Invoker;
  readonly args: string;
}

export function activationOf(content: SkillContent, context: ActivationContext): Activation {
  const { entry, treeHash, skillHash, folder } = content;
  const { session, task, at, invoker, args } = context;
  return {
    skill: entry.id,
    ...(entry.revision === undefined ? {} : { revision: entry.revision }),
    treeHash,
    skillHash,
    source: entry.source,
    trust: entry.trust,
    session,
    ...(task === undefined ? {} : { task }),
    at: at.toISOString(),
    invoker,
    ...(entry.allowedTools === undefined ? {} : { allowedTools: entry.allowedTools }),
    ...(folder === undefined ? {} : { folder }),
    args,
  };
}

/** The event of an activation; the session log adds session, task and time. */
export function activatedEvent(activation: Activation, record: ActivationRecord): Unplaced<ActivatedEvent> {
  const { skill, revision, treeHash: hash, skillHash, source, trust, invoker } = activation;
  const release = revision === undefined ? {} : { revision };
  return {
    type: "skill.activated",
    skill,
    ...release,
    hash,
    skillHash,
    source,
    trust,
    invoker,
    handover: record,
  };
}

/** True when the session already has the text that this activation would give. */
export function isRepeat(before: Activation | undefined, content: SkillContent, args: string): boolean {
  return before !== undefined && before.treeHash === content.treeHash && before.args === args;
}

export interface ActivationRequest {
  readonly content: SkillContent;
  readonly args: string;
  readonly viewer: Viewer;
  /** Sentences about dependencies that are missing on this machine. */
  readonly missing: readonly string[];
  /** The skills that are active in the session. */
  readonly active: ReadonlyMap<string, Activation>;
  readonly hasFileSystem: boolean;
  /** The most tokens that the text may cost. */
  readonly maxTokens: number;
  readonly limits: Limits;
}

export interface PreparedActivation {
  readonly skill: ActivatedSkill;
  readonly record: ActivationRecord;
}

/** Renders the text of an activation. Records no event and reads no files except examples and links. */
export async function prepareActivation(
  request: ActivationRequest,
  library: Library,
): Promise<PreparedActivation> {
  const { content, args, viewer, missing, active, hasFileSystem, limits } = request;
  const advice = await adviseOnRequirements(content.entry, new Set(active.keys()), viewer, library);
  const supplement = await readSupplement(content, limits, (path) =>
    library.resource(viewer, content.entry.id, path),
  );
  const before = active.get(content.entry.id);
  const hasChanged = before !== undefined && before.treeHash !== content.treeHash;
  const skill = writeActivation({
    content,
    args,
    hasFileSystem,
    supplement,
    hints: advice.hints,
    warnings: [
      ...(hasChanged
        ? ["The skill has changed since it was activated; this text replaces the earlier one."]
        : []),
      ...contentWarnings(content),
      ...missing,
      ...advice.warnings,
      ...supplement.warnings,
    ],
  });
  rejectCostly(skill, request.maxTokens);
  return { skill, record: recordText(skill, request) };
}

function rejectCostly({ id, text }: ActivatedSkill, maxTokens: number): void {
  const cost = estimateTokens(text);
  if (cost <= maxTokens) return;
  throw new SkillError(
    "LIMIT_EXCEEDED",
    `The skill ${id} costs about ${cost} tokens, more than maxTokens (${maxTokens}).`,
  );
}

function recordText(
  { name, text, hints, warnings }: ActivatedSkill,
  { content: { folder }, args, hasFileSystem, limits }: ActivationRequest,
): ActivationRecord {
  const bytes = Buffer.from(text);
  return {
    digest: hashSkillFile(bytes),
    bytes: bytes.length,
    name,
    args,
    ...(hasFileSystem && folder !== undefined ? { folder } : {}),
    hints,
    warnings,
    exampleTokens: limits.exampleTokens,
  };
}
