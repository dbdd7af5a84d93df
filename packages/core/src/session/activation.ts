import type { Digest, SkillEvent, SkillId, Trust } from "@skillhold/protocol";
import type { SkillContent } from "../library/library.ts";
import type { Unplaced } from "../run/index.ts";

export type Invoker = "model" | "user";

/** The record that a session was given a skill: enough to tell later, by hash, what the agent had read. */
export interface Activation {
  readonly skill: SkillId;
  /** The store's count of releases; a folder has none. */
  readonly revision?: number;
  readonly treeHash: Digest;
  readonly skillHash: Digest;
  readonly source: string;
  readonly trust: Trust;
  readonly session: string;
  readonly task?: string;
  /** When, in ISO 8601. */
  readonly at: string;
  readonly invoker: Invoker;
  /** The tools that the skill says it needs; a skill that says nothing restricts nothing. */
  readonly allowedTools?: readonly string[];
  /** Where its files lie for an agent that has a file system. */
  readonly folder?: string;
  /** What was put into the instructions: with other arguments they are another text. */
  readonly args: string;
}

type ActivatedEvent = Extract<SkillEvent, { readonly type: "skill.activated" }>;

/** What is recorded of a text: enough to make it again from the content, and to tell that it is the same. */
export type HandoverRecord = NonNullable<ActivatedEvent["handover"]>;

/** The circumstances of an activation. */
export interface Occasion {
  readonly session: string;
  readonly task: string | undefined;
  readonly at: Date;
  readonly invoker: Invoker;
  readonly args: string;
}

export function activationOf(content: SkillContent, occasion: Occasion): Activation {
  const { entry, treeHash, skillHash, folder } = content;
  const { session, task, at, invoker, args } = occasion;
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

/** The activation as it is recorded; session, task and time are put in with every record. */
export function activatedEvent(activation: Activation, handover: HandoverRecord): Unplaced<ActivatedEvent> {
  const { skill, revision, treeHash: hash, skillHash, source, trust, invoker } = activation;
  const release = revision === undefined ? {} : { revision };
  return { type: "skill.activated", skill, ...release, hash, skillHash, source, trust, invoker, handover };
}

/** Whether handing over this content would say nothing that the session has not got already. */
export function isRepeat(before: Activation | undefined, content: SkillContent, args: string): boolean {
  return before !== undefined && before.treeHash === content.treeHash && before.args === args;
}
