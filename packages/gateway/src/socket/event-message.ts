import type { Actor, SkillEvent } from "@skillhold/protocol";
import { errorTable } from "@skillhold/protocol/error";
import type { ServerMessage } from "@skillhold/protocol/http";
import type { StoredEvent } from "@skillhold/registry/record";
import { mayTalk, type WorkspaceTree } from "@skillhold/registry/workspace";
import type { Share } from "./event-audience.ts";
import { envelopeOf } from "./workspace-envelope.ts";

/** An event as a message. It is serialized once for all recipients. */
export class EventMessage {
  readonly #stored: StoredEvent;
  readonly #tree: WorkspaceTree | undefined;
  #envelope: Buffer | undefined;
  #full: Buffer | undefined;
  #redacted: Buffer | undefined;

  /** With the tree of an event of a workspace, which its envelope needs. */
  constructor(stored: StoredEvent, tree?: WorkspaceTree) {
    this.#stored = stored;
    this.#tree = tree;
  }

  of(share: Exclude<Share, "none">): Buffer {
    const { seq, event } = this.#stored;
    if (share === "all") {
      this.#full ??= serialize({ seq, event });
      return this.#full;
    }
    this.#redacted ??= serialize({ seq, event: redactEvent(event) });
    return this.#redacted;
  }

  /** The event for a workspace, in Molecule's form; undefined for events of workspaces that it may not talk to. */
  envelopeFor(workspace: string): Buffer | undefined {
    const { event } = this.#stored;
    const tree = this.#tree;
    if (tree === undefined || !("agent" in event) || event.agent === undefined) return undefined;
    if (!mayTalk(workspace, event.agent, tree)) return undefined;
    const envelope = envelopeOf(event, tree);
    if (envelope !== undefined) this.#envelope ??= Buffer.from(JSON.stringify(envelope));
    return this.#envelope;
  }
}

function serialize(message: ServerMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** Replaces a user name. */
const SOMEONE = "someone";

/**
 * An event for recipients who do not manage the skill: without the actor, the origin, and paths of the gateway's machine.
 * The redacted event still has a valid shape.
 */
function redactEvent(event: SkillEvent): SkillEvent {
  switch (event.type) {
    case "skill.published": {
      const { source, at, by } = event.provenance;
      return { ...event, by: anonymized(event.by), provenance: { source, at, by: anonymized(by) } };
    }
    case "skill.status_changed": {
      const { reason, ...rest } = event;
      // Any reason except `deps` was written by a person.
      return { ...rest, by: anonymized(event.by), ...(reason === "deps" ? { reason } : {}) };
    }
    case "skill.rolled_back":
    case "skill.deleted":
    case "skill.restored":
    case "skill.edited":
    case "skill.toggled":
    case "grant.given":
    case "grant.revoked":
    case "workspace.changed":
    case "workspace.card_updated":
    case "workspace.status_changed":
    case "workspace.task_changed":
    case "agent.removed":
      return { ...event, by: anonymized(event.by) };
    case "run.requested":
    case "approval.asked":
      return { ...event, mounts: withoutSources(event.mounts) };
    case "run.approved": {
      const { by: _, ...rest } = event;
      return rest;
    }
    case "approval.granted":
    case "approval.denied":
      return { ...event, by: SOMEONE, mounts: withoutSources(event.mounts) };
    case "skill.denied":
      return redactDenial(event);
    default:
      return event;
  }
}

/** A role does not identify a person. */
function anonymized({ role }: Actor): Actor {
  return { user: SOMEONE, role };
}

type Mounts = Extract<SkillEvent, { readonly type: "run.requested" }>["mounts"];

function withoutSources(mounts: Mounts): Mounts {
  return mounts.map((mount) => ({ ...mount, source: "" }));
}

type Denial = Extract<SkillEvent, { readonly type: "skill.denied" }>;

/** The record has the reason why a skill is hidden, and the caller got SKILL_NOT_FOUND. */
function redactDenial(event: Denial): Denial {
  if (Object.hasOwn(errorTable, event.reason)) return event;
  return { ...event, reason: "SKILL_NOT_FOUND", message: `There is no skill ${event.skill}.` };
}
