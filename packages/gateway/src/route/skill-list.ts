import type { SkillRow } from "@skillhold/protocol/http";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import { type ListedSkill, placeOf, SkillList } from "../cache/skill-list.ts";
import { readCursor, writeCursor } from "../http/cursor.ts";
import type { Call } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { deletedAccess, isOverseer, type Recipient } from "../skill/disclosed-skill.ts";
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
  const list = await listDisclosed(view, { principal, viewer }, context);
  const matching = query.tag === undefined ? list.skills : list.tagged(query.tag);
  const from = after === "" ? 0 : placeOf(matching, `${after}\0`);
  const page = matching.slice(from, from + (query.limit ?? PAGE_SIZE));
  const last = page.at(-1)?.access.entry.id;
  return {
    skills: page.map(({ access, held }) => rowOf(access, held, { principal, viewer })),
    total: matching.length,
    version: isAdministrator(principal) ? viewVersion : await list.version(),
    ...(from + page.length < matching.length && last !== undefined ? { nextCursor: writeCursor(last) } : {}),
  };
}

type View = NonNullable<ListCall["query"]["view"]>;

/** Administrators see all skills, except when they view as another user or agent. */
function defaultView(principal: Principal, { agent, user, runtime, invoker }: ListCall["query"]): View {
  const isOwn = [agent, user, runtime, invoker].every((each) => each === undefined);
  return isOwn && isAdministrator(principal) ? "all" : "visible";
}

/** The skills that are disclosed to the caller in a view. */
export async function listDisclosed(
  view: View,
  { principal, viewer }: Recipient,
  context: CatalogueContext,
): Promise<SkillList> {
  if (view === "deleted") return new SkillList(await listDeleted(principal, context));
  const { role, user, agent = null } = principal;
  return await context.lists.get({
    key: JSON.stringify([view, role, user, agent]),
    viewer,
    isListed: (access, held) => {
      if (access.isVisible || view === "visible") return access.isVisible;
      return held === undefined ? isAdministrator(principal) : isOverseer(held, principal);
    },
  });
}

async function listDeleted(
  principal: Principal,
  { skills }: CatalogueContext,
): Promise<readonly ListedSkill[]> {
  return (await skills.deleted())
    .filter(({ held }) => isOverseer(held, principal))
    .map(({ entry, held }) => ({ access: deletedAccess(entry), held }));
}
