import type { Access } from "@skillhold/core/library";
import type { SkillRow } from "@skillhold/protocol/http";
import type { HeldSkill } from "@skillhold/registry/library";
import { isAdministrator, type Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import { readCursor, writeCursor } from "../http/cursor.ts";
import type { Call } from "../http/handler.ts";
import type { RunningContext } from "../running-context.ts";
import { deletedAccess, isOverseer, type Told, type ToldAccess } from "./known-skill.ts";
import { rowOf } from "./skill-row.ts";

type ListCall = Pick<Call<"listSkills">, "query" | "principal">;

export interface SkillPage {
  readonly skills: readonly SkillRow[];
  /** Of the whole list. */
  readonly total: number;
  readonly nextCursor?: string;
}

const PAGE = 100;

/** A page of the skills that someone is told of, ordered by id. Only the rows of the page are made. */
export async function listPage({ query, principal }: ListCall, context: RunningContext): Promise<SkillPage> {
  const after = query.cursor === undefined ? "" : readCursor(query.cursor);
  const { view = usualView(principal, query), cursor: _cursor, limit: _limit, tag: _tag, ...looking } = query;
  const viewer = await viewerOf(principal, looking, context);
  const listed = await listTold(view, { principal, viewer }, context);
  const tag = query.tag?.toLowerCase();
  const found =
    tag === undefined
      ? listed
      : listed.filter(({ access }) => access.entry.tags.some((each) => each.toLowerCase() === tag));
  const rest = after === "" ? found : found.filter(({ access }) => access.entry.id > after);
  const page = rest.slice(0, query.limit ?? PAGE);
  const last = page.at(-1)?.access.entry.id;
  return {
    skills: page.map(({ access, held }) => rowOf(access, held, { principal, viewer })),
    total: found.length,
    ...(page.length < rest.length && last !== undefined ? { nextCursor: writeCursor(last) } : {}),
  };
}

type View = NonNullable<ListCall["query"]["view"]>;

/** Who looks after everything is shown everything, but for what they look at through another's eyes. */
function usualView(principal: Principal, { agent, user, runtime, invoker }: ListCall["query"]): View {
  const isOwn = [agent, user, runtime, invoker].every((each) => each === undefined);
  return isOwn && isAdministrator(principal) ? "all" : "visible";
}

interface Listed {
  readonly access: ToldAccess;
  readonly held: HeldSkill | undefined;
}

async function listTold(
  view: View,
  { principal, viewer }: Told,
  context: RunningContext,
): Promise<readonly Listed[]> {
  if (view === "deleted") return await listDeleted(principal, context);
  const { library, skills } = context;
  const isTold = (access: Access, held: HeldSkill | undefined) => {
    if (access.isVisible || view === "visible") return access.isVisible;
    return held === undefined ? isAdministrator(principal) : isOverseer(held, principal);
  };
  return (await library.survey(viewer)).flatMap((access) => {
    const held = skills.held(access.entry);
    // One of the registry that has no row was deleted since the look.
    const isGone = held === undefined && access.entry.revision !== undefined;
    return !isGone && isTold(access, held) ? [{ access, held }] : [];
  });
}

async function listDeleted(principal: Principal, { skills }: RunningContext): Promise<readonly Listed[]> {
  return (await skills.deleted())
    .filter(({ held }) => isOverseer(held, principal))
    .map(({ entry, held }) => ({ access: deletedAccess(entry), held }));
}
