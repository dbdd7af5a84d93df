import { SkillError } from "@skillhold/protocol/error";
import {
  explainAccess,
  findGrant,
  type GrantResult,
  grantSkill,
  listGrantPage,
  revokeSkill,
} from "@skillhold/registry/access";
import type { Grant, UserRecord } from "@skillhold/registry/record";
import { z } from "zod";
import { actorOf, isAdministrator, type Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import { shortHash } from "../digest.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { rejectStale } from "../http/condition.ts";
import type { Handlers } from "../http/handler.ts";
import { present } from "../http/present.ts";
import { toldTo } from "../told-candidate.ts";
import { explanationList, withoutPlace } from "./explanation.ts";
import { pageOf } from "./page.ts";
import { noSkill, skillIdOf } from "./skill-key.ts";

const GrantPlace = z.object({ kind: z.enum(["agent", "user"]), key: z.string() });

export const accessHandlers: Pick<
  Handlers,
  "listGrants" | "getGrant" | "putGrant" | "deleteGrant" | "explainAccess" | "explainAll" | "listUsers"
> = {
  listGrants: async ({ params, query, principal }, { registry }) => {
    const by = actorOf(principal);
    const { rows, next } = await pageOf(query, {
      place: GrantPlace,
      placeOf: ({ grantee }: Grant) => grantee,
      list: (after, limit) => listGrantPage(params.id, { after, limit }, { by }, registry),
    });
    return { data: { grants: rows.map(viewOf), ...next } };
  },
  getGrant: async ({ params: { id, kind, key }, principal }, { registry }) => {
    const grant = await findGrant(id, { kind, key }, { by: actorOf(principal) }, registry);
    if (grant !== undefined) return { data: viewOf(grant), etag: tagOf(grant) };
    throw new SkillError("GRANT_NOT_FOUND", "They were not granted this skill.", {
      hint: "GET /v1/skills/{id}/grants lists who was.",
      details: { id, kind, key },
    });
  },
  putGrant: async ({ params, body, principal, headers }, { registry }) => {
    const { id, kind, key } = params;
    const seen = await findSeenGrant({ params, principal, headers }, registry);
    const options = { by: actorOf(principal), seen, ...present(body) };
    const { grant, ...result } = await grantSkill(id, { kind, key }, options, registry);
    return { data: resultOf(result), etag: tagOf(grant) };
  },
  deleteGrant: async ({ params, principal, headers }, { registry }) => {
    const { id, kind, key } = params;
    const seen = await findSeenGrant({ params, principal, headers }, registry);
    const by = actorOf(principal);
    return { data: resultOf(await revokeSkill(id, { kind, key }, { by, seen }, registry)) };
  },
  explainAccess: async ({ params, query, principal }, context) => {
    const { registry, host, skills } = context;
    const [own, viewer] = await Promise.all([
      viewerOf(principal, {}, context),
      viewerOf(principal, query, context),
    ]);
    const id = await skillIdOf(params.id, context);
    await skills.refresh();
    const entry = skills.layer.shelf.view().find(id);
    const isKnown = isAdministrator(principal) || (entry && toldTo([own, viewer], context)(entry));
    if (entry === undefined || isKnown !== true) throw noSkill(params.id);
    return { data: await explainAccess(id, viewer, host, registry) };
  },
  explainAll: async ({ query, principal }, context) => {
    const own = await viewerOf(principal, {}, context);
    const viewer = await viewerOf(principal, query, context);
    const all = await context.library.explain(viewer);
    const isAdmin = isAdministrator(principal);
    const isKnown = toldTo([own, viewer], context);
    const known = isAdmin ? all : all.filter((each) => each.state === "visible" || isKnown(each));
    const { rows, next } = await pageOf(query, explanationList(known));
    const explanations = rows.map(({ row }) => (isAdmin ? row : withoutPlace(row)));
    return { data: { explanations, ...next } };
  },
  listUsers: async ({ query }, { registry: { store } }) => {
    const { rows: users, next } = await pageOf(query, {
      place: z.string(),
      placeOf: ({ name }: UserRecord) => name,
      list: (after, limit) => store.listUsers({ after, limit }),
    });
    return { data: { users, ...next } };
  },
};

interface Changing {
  readonly params: { readonly id: string; readonly kind: "agent" | "user"; readonly key: string };
  readonly principal: Principal;
  readonly headers: Headers;
}

/** How the caller last saw the grant, where they say so. Contract: the change refuses another one. */
async function findSeenGrant(
  { params: { id, kind, key }, principal, headers }: Changing,
  registry: GatewayContext["registry"],
): Promise<Grant | undefined> {
  if (headers.get("if-match") === null) return undefined;
  const grant = await findGrant(id, { kind, key }, { by: actorOf(principal) }, registry);
  // What is not there is not as anyone saw it, and no tag stands for it.
  if (grant === undefined)
    throw new SkillError("PRECONDITION_FAILED", "They are not granted this skill.", { details: { id } });
  rejectStale(headers, tagOf(grant));
  return grant;
}

function viewOf({ skill: _, ...grant }: Grant): Omit<Grant, "skill"> {
  return grant;
}

function resultOf({ uid: _, ...result }: GrantResult): Omit<GrantResult, "uid"> {
  return result;
}

function tagOf(grant: Grant): string {
  return shortHash(JSON.stringify(grant));
}
