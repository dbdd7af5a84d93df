import {
  type Access,
  type AgentStanding,
  type Disclosure,
  decideAccess,
  discloseSkill,
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
  return (await discloseAccess(idOrUid, viewer, host, context)).access;
}

/** The access decision with the disclosure to a viewer who does not manage the skill. */
export async function discloseAccess(
  idOrUid: string,
  viewer: Viewer,
  host: Host,
  context: RegistryContext,
): Promise<{ readonly access: EffectiveAccess; readonly disclosure: Disclosure }> {
  const found = await context.store.findSkill(idOrUid);
  if (found === undefined) throw notFound(idOrUid);
  const agent = await findAgent(viewer.agent, context);
  const agents = new Map(agent === undefined ? [] : [[viewer.agent ?? "", agent]]);
  const settings = { agents, folderOff: new Set<string>() };
  const [held] = await readSnapshots([found.id], settings, context.store);
  const view = RegistryView.of(held === undefined ? [] : [held], settings, entryContext(host));
  const entry = view.find(found.id);
  if (held === undefined || entry === undefined) throw notFound(idOrUid);
  const standing = view.standing(found.id);
  const asker = withAgentRecord(viewer, agent);
  const { entry: shown, ...decision } = decideAccess(entry, asker, {}, standing);
  const { id, uid, owner, visibility, revision } = held.current.skill;
  const { isVisible } = decision;
  return {
    access: { id, uid, owner, visibility, revision: shown.revision ?? revision, ...decision },
    disclosure: discloseSkill({ id, standing }, { viewer: asker, isVisible, isOverseer: false }),
  };
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
