import {
  type Access,
  type AgentStanding,
  decideAccess,
  type Viewer,
  withAgentRecord,
} from "@skillhold/core/library";
import type { Visibility } from "@skillhold/protocol";
import type { Host } from "@skillhold/skill";
import { RegistryView } from "../library/registry-view.ts";
import { readSnapshots } from "../library/skill-snapshot.ts";
import { notFound } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";

/** Whether a viewer may use a skill, and which rule decides that. */
export interface EffectiveAccess
  extends Pick<Access, "isVisible" | "reason" | "rule" | "message" | "warnings"> {
  readonly id: string;
  readonly uid: string;
  readonly owner: string;
  readonly visibility: Visibility;
  /** The revision that the viewer gets or would get. */
  readonly revision: number;
}

/**
 * Runs the access decision on the stored state. Contract: the caller has checked that the requester may know
 * the skill.
 */
export async function explainAccess(
  idOrUid: string,
  viewer: Viewer,
  host: Host,
  context: RegistryContext,
): Promise<EffectiveAccess> {
  const found = await context.store.findSkill(idOrUid);
  if (found === undefined) throw notFound(idOrUid);
  const agent = await findAgent(viewer.agent, context);
  const agents = new Map(agent === undefined ? [] : [[viewer.agent ?? "", agent]]);
  const settings = { agents, folderOff: new Set<string>() };
  const [held] = await readSnapshots([found.id], settings, context.store);
  const view = RegistryView.of(held === undefined ? [] : [held], settings, entryContext(host));
  const entry = view.find(found.id);
  if (held === undefined || entry === undefined) throw notFound(idOrUid);
  const access = decideAccess(entry, withAgentRecord(viewer, agent), {}, view.standing(found.id));
  const { id, uid, owner, visibility, revision } = held.current.skill;
  const { entry: shown, ...decision } = access;
  return { id, uid, owner, visibility, revision: shown.revision ?? revision, ...decision };
}

async function findAgent(
  key: string | undefined,
  { store }: RegistryContext,
): Promise<AgentStanding | undefined> {
  const agent = key === undefined ? undefined : await store.findAgent(key);
  // A viewer names its agent by key, never by uid.
  if (agent?.key !== key || agent === undefined) return undefined;
  return { allow: agent.allow, pins: agent.pins, isRemoved: agent.removedAt !== undefined };
}

function entryContext(host: Host) {
  const label = "registry";
  const pathOf = ({ id, revision }: RegisteredSkill) => `${label}:${id}@${revision}`;
  return { host, label, pathOf, overridden: new WeakSet(), pinned: new WeakSet() };
}
