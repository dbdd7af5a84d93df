import type { Actor, SkillEvent } from "@skillhold/protocol";
import type { Grant } from "../record/grant.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryReader } from "../record/registry-store.ts";
import { isAgentActor, isManager } from "./ownership.ts";

/** A skill by its id, and the content in question. */
export interface OverseenContent {
  readonly skill: string;
  readonly hash: string;
}

/** A registry skill with everyone who oversees it. */
export interface OverseenSkill {
  readonly skill: RegisteredSkill;
  readonly grants: readonly Grant[];
  /** Users who answer its questions; empty for its managers. */
  readonly approvers: readonly string[];
  /** The tree hashes of all revisions. */
  readonly hashes: ReadonlySet<string>;
}

type OversightReader = Pick<RegistryReader, "findSkill" | "listGrants" | "listApprovers" | "listRevisions">;

/**
 * The one rule about who sees the questions and the activity of a skill, and who answers for it. Administrators see and
 * answer everything. The owner and the managers of a registry skill see those of its revisions; a folder may serve other
 * content under the same id. Named approvers answer instead of the managers. An instance caches its lookups, so use one
 * per request, transaction or event.
 */
export class Oversight {
  readonly #reader: OversightReader;
  readonly #skills = new Map<string, Promise<OverseenSkill | undefined>>();

  constructor(reader: OversightReader) {
    this.#reader = reader;
  }

  async maySee(content: OverseenContent, by: Actor): Promise<boolean> {
    if (isAdmin(by)) return true;
    const overseen = await this.#find(content, by);
    if (overseen === undefined) return false;
    return isManager(overseen.skill, overseen.grants, by) || answersFor(overseen, by);
  }

  async mayAnswer(content: OverseenContent, by: Actor): Promise<boolean> {
    if (isAdmin(by)) return true;
    const overseen = await this.#find(content, by);
    return overseen !== undefined && answersFor(overseen, by);
  }

  /** Whether an event is a use, a run, a question or a record of a skill that the actor oversees. */
  async includes(event: SkillEvent, by: Actor): Promise<boolean> {
    if (isAdmin(by)) return true;
    if (isRecord(event)) return await this.manages(event.skill, by);
    const content = contentOf(event);
    return content !== undefined && (await this.maySee(content, by));
  }

  /** Whether the actor, a person, manages the registry skill with this id. */
  async manages(id: string, by: Actor): Promise<boolean> {
    if (!isOverseer(by)) return false;
    const overseen = await this.find(id);
    return overseen !== undefined && isManager(overseen.skill, overseen.grants, by);
  }

  /** The registry skill with this id. */
  find(id: string): Promise<OverseenSkill | undefined> {
    const known = this.#skills.get(id) ?? this.#read(id);
    this.#skills.set(id, known);
    return known;
  }

  async #find({ skill, hash }: OverseenContent, by: Actor): Promise<OverseenSkill | undefined> {
    if (!isOverseer(by)) return undefined;
    const found = await this.find(skill);
    return found?.hashes.has(hash) === true ? found : undefined;
  }

  async #read(id: string): Promise<OverseenSkill | undefined> {
    const skill = await this.#reader.findSkill(id);
    // The id may equal the uid of another skill.
    if (skill?.id !== id) return undefined;
    const [grants, approvers, revisions] = await Promise.all([
      this.#reader.listGrants([skill.uid]),
      this.#reader.listApprovers(skill.uid),
      this.#reader.listRevisions(skill.uid),
    ]);
    return { skill, grants, approvers, hashes: new Set(revisions.map(({ treeHash }) => treeHash)) };
  }
}

/** People with these roles may oversee skills: agents could approve their own requests, and viewers only read. */
export function isOverseer(by: Actor): boolean {
  return !isAgentActor(by) && (by.role === "admin" || by.role === "publisher");
}

function isAdmin(by: Actor): boolean {
  return isOverseer(by) && by.role === "admin";
}

function answersFor({ skill, grants, approvers }: OverseenSkill, by: Actor): boolean {
  return approvers.length === 0 ? isManager(skill, grants, by) : approvers.includes(by.user);
}

/** Records about a registry skill, whatever content they name. */
const recordTypes = [
  "skill.purged",
  "skill.approvers_changed",
  "guard.blocked",
  "guard.waived",
  "guard.rescanned",
  "eval.recorded",
] as const;
const records: ReadonlySet<string> = new Set(recordTypes);

function isRecord(
  event: SkillEvent,
): event is Extract<SkillEvent, { readonly type: (typeof recordTypes)[number] }> {
  return records.has(event.type);
}

/** The content that an event is about. Proposals have their own rule. */
function contentOf(event: SkillEvent): OverseenContent | undefined {
  if (event.type === "approval.answered" || event.type === "approval.used") return event.content;
  if ("proposal" in event || !("skill" in event) || !("hash" in event)) return undefined;
  const { skill, hash } = event;
  return { skill, hash };
}
