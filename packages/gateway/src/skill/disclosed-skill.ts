import { discloseSkill, type Explanation, mayKnow, pinOf, type Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isManager, oversees } from "@skillhold/registry/access";
import type { SkillSnapshot } from "@skillhold/registry/library";
import { isAdministrator, isPerson, type Principal, principalActor } from "../auth/principal.ts";
import { requestViewer, type ViewerQuery } from "../auth/viewer.ts";
import type { DisclosedAccess } from "../cache/skill-list.ts";
import type { CatalogueContext } from "../running-context.ts";
import { isUuid, noSkill, skillIdOf } from "./skill-key.ts";

/** A skill whose details the caller may see: it is visible to them, or they manage it. */
export interface DisclosedSkill {
  /** The id or UUID of the request, which errors repeat. */
  readonly key: string;
  /** The gate's decision; its entry is the revision that the caller gets. */
  readonly access: DisclosedAccess;
  /** The registry's record; undefined for a skill in a folder. */
  readonly held: SkillSnapshot | undefined;
  readonly canManage: boolean;
  /** The only revision that the caller may see; undefined without a pin. */
  readonly pin: number | undefined;
  readonly viewer: Viewer;
  /** The library that has it: all skills, or the registry's alone. */
  readonly from: "library" | "skills";
}

/** The caller and the viewer that the caller views as. */
export interface Recipient {
  readonly principal: Principal;
  readonly viewer: Viewer;
}

export interface SkillRequest {
  readonly principal: Principal;
  readonly viewAs?: ViewerQuery;
}

type Ports = Pick<CatalogueContext, "registry" | "library" | "skills">;

/** Finds the skill of a request. Throws SKILL_NOT_FOUND when its details are not disclosed to the caller. */
export async function getDisclosedSkill(
  key: string,
  { principal, viewAs = {} }: SkillRequest,
  context: Ports,
): Promise<DisclosedSkill> {
  const id = await skillIdOf(key, context);
  const viewer = await requestViewer(principal, viewAs, context);
  const named = { key, id };
  const recipient = { principal, viewer };
  const skill =
    (await findIn("library", named, recipient, context)) ??
    // A folder's skill may shadow the id, but the UUID still names the registry's skill.
    (isUuid(key) ? await findIn("skills", named, recipient, context) : undefined) ??
    (await findDeleted(named, recipient, context));
  if (skill === undefined) throw noSkill(key);
  return skill;
}

interface Named {
  readonly key: string;
  readonly id: string;
}

async function findIn(
  from: DisclosedSkill["from"],
  { key, id }: Named,
  { principal, viewer }: Recipient,
  context: Ports,
): Promise<DisclosedSkill | undefined> {
  const [access] = await context[from].survey(viewer, [id]);
  if (access === undefined) return undefined;
  const { entry, isVisible } = access;
  const held = context.skills.findSnapshot(entry);
  if (isUuid(key) && key !== id && held?.current.skill.uid !== key) return undefined;
  const isOverseer = overseesEntry(entry, held, principal);
  const standing = held && context.skills.view().standing(id);
  if (discloseSkill({ id, standing }, { viewer, isVisible, isOverseer }) !== "details") return undefined;
  const pin = held && pinFor(held, { principal, viewer });
  return { key, access, held, canManage: canManage(held, principal), pin, viewer, from };
}

/** Administrators oversee the skills in folders. A registry entry without a record was deleted meanwhile. */
function overseesEntry(entry: SkillEntry, held: SkillSnapshot | undefined, principal: Principal): boolean {
  if (held !== undefined) return isOverseer(held, principal);
  return entry.revision === undefined && isAdministrator(principal);
}

async function findDeleted(
  { key, id }: Named,
  { principal, viewer }: Recipient,
  { registry, skills }: Ports,
): Promise<DisclosedSkill | undefined> {
  const row = isPerson(principal) ? await registry.store.findSkill(id) : undefined;
  if (row?.status !== "deleted") return undefined;
  const grants = await registry.store.listGrants([row.uid]);
  const actor = principalActor(principal);
  // Until here the work is the same as for a missing skill, so timing discloses no information.
  if (!oversees(row, grants, actor)) return undefined;
  const deleted = (await skills.deleted()).find(({ entry }) => entry.id === id);
  if (deleted === undefined) return undefined;
  const access = deletedAccess(deleted.entry);
  return {
    key,
    access,
    held: deleted.held,
    canManage: isManager(row, grants, actor),
    pin: undefined,
    viewer,
    from: "skills",
  };
}

export function deletedAccess(entry: SkillEntry): DisclosedAccess {
  return { isVisible: false, reason: "deleted", entry, message: "The skill is deleted.", warnings: [] };
}

/**
 * Whether any of the viewers may know of a candidate skill, on or off: a registry skill that is open to them, or a skill in
 * one of the gateway's folders. Contract: the registry's library is up to date.
 */
export function candidateDisclosure(
  viewers: readonly Viewer[],
  { skills, sources }: Pick<CatalogueContext, "skills" | "sources">,
): (candidate: Pick<Explanation, "id" | "source">) => boolean {
  const folders = new Set(sources.filter(({ path }) => path !== undefined).map(({ label }) => label));
  return ({ id, source }) => {
    const view = skills.view();
    const isRegistered = view.find(id)?.source === source;
    if (!isRegistered && !folders.has(source)) return false;
    const standing = isRegistered ? view.standing(id) : undefined;
    return viewers.some((viewer) => mayKnow({ id, standing }, viewer));
  };
}

/** The only revision that the recipient may see; undefined without a pin. */
export function pinFor(held: SkillSnapshot, { principal, viewer }: Recipient): number | undefined {
  return isOverseer(held, principal) ? undefined : pinOf(held.current.skill.id, viewer, held);
}

/** Whether the caller may change the skill. An agent manages no skills. */
export function canManage(held: SkillSnapshot | undefined, principal: Principal): boolean {
  if (held === undefined || !isPerson(principal)) return false;
  return isManager(held.current.skill, held.grants, principalActor(principal));
}

/** Whether the caller manages the skill or is an administrator. */
export function isOverseer(held: SkillSnapshot, principal: Principal): boolean {
  return oversees(held.current.skill, held.grants, principalActor(principal));
}

/** The revision that a request means. Throws REVISION_NOT_FOUND for a revision that a pin hides. */
export function allowedRevision({ access, held, pin }: DisclosedSkill, wanted: number | undefined): number {
  const { id } = access.entry;
  const revision = wanted ?? access.entry.revision ?? 0;
  if (held !== undefined && (pin === undefined || pin === revision)) return revision;
  throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision ${revision}.`, {
    hint:
      held === undefined
        ? "The skill is in a folder of the gateway and has no revisions."
        : "GET /v1/skills/{id}/versions lists the revisions.",
    details: { id, revision },
  });
}
