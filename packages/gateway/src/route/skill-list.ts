import { hash } from "node:crypto";
import type { Access } from "@skillhold/core/library";
import type { SkillRow } from "@skillhold/protocol/http";
import type { SkillSnapshot } from "@skillhold/registry/library";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import { readCursor, writeCursor } from "../http/cursor.ts";
import type { Call } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { type DisclosedAccess, deletedAccess, isOverseer, type Recipient } from "../skill/disclosed-skill.ts";
import { rowOf } from "./skill-row.ts";

type ListCall = Pick<Call<"listSkills">, "query" | "principal">;

export interface SkillPage {
  readonly skills: readonly SkillRow[];
  /** The number of skills in the whole list. */
  readonly total: number;
  readonly version: number;
  readonly nextCursor?: string;
}

const PAGE_SIZE = 100;

/** A page of the skills that are disclosed to the caller, ordered by id. Only the rows of the page are rendered. */
export async function listPage(
  { query, principal }: ListCall,
  viewVersion: number,
  context: CatalogueContext,
): Promise<SkillPage> {
  const after = query.cursor === undefined ? "" : readCursor(query.cursor);
  const {
    view = defaultView(principal, query),
    cursor: _cursor,
    limit: _limit,
    tag: _tag,
    ...viewAs
  } = query;
  const viewer = await requestViewer(principal, viewAs, context);
  const listed = await listDisclosed(view, { principal, viewer }, context);
  const tag = query.tag?.toLowerCase();
  const matching =
    tag === undefined
      ? listed
      : listed.filter(({ access }) => access.entry.tags.some((each) => each.toLowerCase() === tag));
  const rest = after === "" ? matching : matching.filter(({ access }) => access.entry.id > after);
  const page = rest.slice(0, query.limit ?? PAGE_SIZE);
  const last = page.at(-1)?.access.entry.id;
  return {
    skills: page.map(({ access, held }) => rowOf(access, held, { principal, viewer })),
    total: matching.length,
    version: isAdministrator(principal) ? viewVersion : versionOf(listed),
    ...(page.length < rest.length && last !== undefined ? { nextCursor: writeCursor(last) } : {}),
  };
}

/**
 * A number that changes with the listed skills. The version of the whole view would also change with skills that the caller
 * may not know.
 */
function versionOf(listed: readonly Listed[]): number {
  const facts = listed.map(({ access: { entry, isVisible }, held }) => [
    ...[entry.id, entry.revision, entry.skillHash, isVisible],
    held?.current.skill.updatedAt,
  ]);
  return Number.parseInt(hash("sha256", JSON.stringify(facts), "hex").slice(0, 12), 16);
}

type View = NonNullable<ListCall["query"]["view"]>;

/** Administrators see all skills, except when they view as another user or agent. */
function defaultView(principal: Principal, { agent, user, runtime, invoker }: ListCall["query"]): View {
  const isOwn = [agent, user, runtime, invoker].every((each) => each === undefined);
  return isOwn && isAdministrator(principal) ? "all" : "visible";
}

interface Listed {
  readonly access: DisclosedAccess;
  readonly held: SkillSnapshot | undefined;
}

async function listDisclosed(
  view: View,
  { principal, viewer }: Recipient,
  context: CatalogueContext,
): Promise<readonly Listed[]> {
  if (view === "deleted") return await listDeleted(principal, context);
  const { library, skills } = context;
  const isListed = (access: Access, held: SkillSnapshot | undefined) => {
    if (access.isVisible || view === "visible") return access.isVisible;
    return held === undefined ? isAdministrator(principal) : isOverseer(held, principal);
  };
  return (await library.survey(viewer)).flatMap((access) => {
    const held = skills.findSnapshot(access.entry);
    // A registry entry without a record was deleted after the survey.
    const isGone = held === undefined && access.entry.revision !== undefined;
    return !isGone && isListed(access, held) ? [{ access, held }] : [];
  });
}

async function listDeleted(principal: Principal, { skills }: CatalogueContext): Promise<readonly Listed[]> {
  return (await skills.deleted())
    .filter(({ held }) => isOverseer(held, principal))
    .map(({ entry, held }) => ({ access: deletedAccess(entry), held }));
}
