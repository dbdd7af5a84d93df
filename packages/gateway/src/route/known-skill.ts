import { type Access, type IndexedLibrary, pinOf, type Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isManager } from "@skillhold/registry/access";
import type { HeldSkill } from "@skillhold/registry/library";
import { actorOf, isAdministrator, isPerson, type Principal } from "../auth/principal.ts";
import { type Looking, viewerOf } from "../auth/viewer.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { isUuid, noSkill, skillIdOf } from "./skill-key.ts";

/** What the gate says of a skill. It is not asked about deleted ones: they are there for nobody. */
export type ToldAccess = Omit<Access, "reason"> & { readonly reason: Access["reason"] | "deleted" };

/** A skill that whoever asks may know of: it is there for them, or theirs to manage. */
export interface KnownSkill {
  /** As the request names it: what refusals call it. */
  readonly key: string;
  /** What the gate says; its entry is what they get. */
  readonly access: ToldAccess;
  /** What the registry keeps of it; undefined for one in a folder. */
  readonly held: HeldSkill | undefined;
  readonly canManage: boolean;
  /** The only revision that is there for them; undefined where all are. */
  readonly pin: number | undefined;
  readonly viewer: Viewer;
  /** Where the gate was asked. */
  readonly library: IndexedLibrary;
}

export interface Inquiry {
  readonly principal: Principal;
  readonly looking?: Looking;
}

type Registered = Pick<GatewayContext, "registry" | "library" | "skills">;

/** The skill that a route names. For those who may not know of it, it is not there. */
export async function getKnown(key: string, inquiry: Inquiry, context: Registered): Promise<KnownSkill> {
  const { principal, looking = {} } = inquiry;
  const id = await skillIdOf(key, context);
  const viewer = await viewerOf(principal, looking, context);
  const found =
    (await lookIn(context.library, { key, id, viewer }, inquiry, context)) ??
    // A skill in a folder may stand in its place; by its UUID it is meant all the same.
    (isUuid(key) ? await lookIn(context.skills, { key, id, viewer }, inquiry, context) : undefined) ??
    (await findDeleted({ key, id, viewer }, inquiry, context));
  if (found === undefined) throw noSkill(key);
  return found;
}

interface Named {
  readonly key: string;
  readonly id: string;
  readonly viewer: Viewer;
}

async function lookIn(
  library: IndexedLibrary,
  { key, id, viewer }: Named,
  { principal }: Inquiry,
  { skills }: Registered,
): Promise<KnownSkill | undefined> {
  const [access] = await library.survey(viewer, [id]);
  if (access === undefined) return undefined;
  const held = skills.held(access.entry);
  if (isUuid(key) && key !== id && held?.current.skill.uid !== key) return undefined;
  if (!access.isVisible && !isTold(access, held, principal)) return undefined;
  const pin = held && pinFor(held, { principal, viewer });
  return { key, access, held, canManage: canManage(held, principal), pin, viewer, library };
}

/** Of a folder's skill that is hidden, administrators are told. */
function isTold(access: Access, held: HeldSkill | undefined, principal: Principal): boolean {
  if (held !== undefined) return isOverseer(held, principal);
  return access.entry.revision === undefined && isAdministrator(principal);
}

async function findDeleted(
  { key, id, viewer }: Named,
  { principal }: Inquiry,
  { registry, skills, library }: Registered,
): Promise<KnownSkill | undefined> {
  const row = isPerson(principal) ? await registry.store.findSkill(id) : undefined;
  if (row?.status !== "deleted") return undefined;
  const grants = await registry.store.listGrants([row.uid]);
  const isTheirs = isManager(row, grants, actorOf(principal));
  // Only then is more read than of a skill that is not there.
  if (!isTheirs && !isAdministrator(principal)) return undefined;
  const found = (await skills.deleted()).find(({ entry }) => entry.id === id);
  if (found === undefined) return undefined;
  const access = deletedAccess(found.entry);
  return { key, access, held: found.held, canManage: isTheirs, pin: undefined, viewer, library };
}

export function deletedAccess(entry: SkillEntry): ToldAccess {
  return { isVisible: false, reason: "deleted", entry, message: "It is deleted.", warnings: [] };
}

/** Who is told of a skill, and through whose eyes they look. */
export interface Told {
  readonly principal: Principal;
  readonly viewer: Viewer;
}

/** The only revision that is there for them; undefined where all are. */
export function pinFor(held: HeldSkill, { principal, viewer }: Told): number | undefined {
  return isOverseer(held, principal) ? undefined : pinOf(held.current.skill.id, viewer, held);
}

/** Whether they may change it. Whoever acts through an agent manages nothing. */
export function canManage(held: HeldSkill | undefined, principal: Principal): boolean {
  if (held === undefined || !isPerson(principal)) return false;
  return isManager(held.current.skill, held.grants, actorOf(principal));
}

/** Whether they may know of it, on or off: those who manage it, and administrators. */
export function isOverseer(held: HeldSkill, principal: Principal): boolean {
  return isAdministrator(principal) || canManage(held, principal);
}

/** The revision that is meant, for someone who may have it. One who is held to another is told that there is none. */
export function allowedRevision({ access, held, pin }: KnownSkill, wanted: number | undefined): number {
  const { id } = access.entry;
  const revision = wanted ?? access.entry.revision ?? 0;
  if (held !== undefined && (pin === undefined || pin === revision)) return revision;
  throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision ${revision}.`, {
    hint:
      held === undefined
        ? "It lies in a folder of the gateway's, and has no revisions."
        : "GET /v1/skills/{id}/versions lists the revisions there are.",
    details: { id, revision },
  });
}
