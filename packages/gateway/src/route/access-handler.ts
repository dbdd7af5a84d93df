import type { Explanation } from "@skillhold/core";
import {
  explainAccess,
  type Grant,
  type GrantResult,
  grantSkill,
  listGrants,
  revokeSkill,
} from "@skillhold/core/registry";
import type { Handlers } from "../http/handler.ts";
import { present } from "../http/present.ts";
import { actorOf, isAdministrator } from "../principal.ts";
import { toldTo } from "../told-candidate.ts";
import { viewerOf } from "../viewer.ts";
import { noSkill, skillIdOf } from "./skill-key.ts";

export const accessHandlers: Pick<
  Handlers,
  "listGrants" | "putGrant" | "deleteGrant" | "explainAccess" | "explainAll" | "listUsers"
> = {
  listGrants: async ({ params, principal }, { registry }) => {
    const grants = await listGrants(params.id, { by: actorOf(principal) }, registry);
    return { data: { grants: grants.map(viewOf) } };
  },
  putGrant: async ({ params: { id, kind, key }, body, principal }, { registry }) => {
    const options = { by: actorOf(principal), ...present(body) };
    return { data: resultOf(await grantSkill(id, { kind, key }, options, registry)) };
  },
  deleteGrant: async ({ params: { id, kind, key }, principal }, { registry }) => {
    const by = actorOf(principal);
    return { data: resultOf(await revokeSkill(id, { kind, key }, { by }, registry)) };
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
    if (isAdministrator(principal)) return { data: { explanations: all } };
    const isKnown = toldTo([own, viewer], context);
    const known = all.filter((each) => each.state === "visible" || isKnown(each));
    return { data: { explanations: known.map(withoutPlace) } };
  },
  listUsers: async (_call, { registry }) => ({ data: { users: await registry.store.listUsers() } }),
};

function viewOf({ skill: _, ...grant }: Grant): Omit<Grant, "skill"> {
  return grant;
}

function resultOf({ uid: _, ...result }: GrantResult): Omit<GrantResult, "uid"> {
  return result;
}

/** Where things lie on this machine is for those to know who look after it. */
function withoutPlace(each: Explanation): Explanation {
  const path = `${each.source}:${each.id}`;
  if (each.state !== "shadowed") return { ...each, path };
  return { ...each, path, message: "Another skill of this id counts." };
}
