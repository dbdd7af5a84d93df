import type { Explanation } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import {
  answerGrant,
  explainAccess,
  findGrant,
  type GrantResult,
  grantSkill,
  listGrantPage,
  listPendingGrants,
  type PendingView,
  revokeSkill,
} from "@skillhold/registry/access";
import type { Grant, UserRecord } from "@skillhold/registry/record";
import { z } from "zod";
import { isAdministrator, type Principal, principalActor } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import { shortHash } from "../bytes.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { rejectStale } from "../http/condition.ts";
import { definedFields } from "../http/defined-fields.ts";
import type { Handlers } from "../http/handler.ts";
import { candidateDisclosure } from "../skill/disclosed-skill.ts";
import { noSkill, skillIdOf } from "../skill/skill-key.ts";
import { explanationList, withoutPath } from "./explanation.ts";
import { readPage } from "./page.ts";

const PendingPosition = z.object({ skill: z.string(), agent: z.string() });
const GrantPosition = z.object({ kind: z.enum(["agent", "user"]), key: z.string() });

export const accessHandlers: Pick<
  Handlers,
  | "listPendingGrants"
  | "answerGrant"
  | "listGrants"
  | "getGrant"
  | "putGrant"
  | "deleteGrant"
  | "explainAccess"
  | "explainAll"
  | "listUsers"
> = {
  listPendingGrants: async ({ query, principal }, { registry }) => {
    const by = principalActor(principal);
    const { agent } = query;
    const { rows, next } = await readPage(query, {
      position: PendingPosition,
      positionOf: ({ skill, agent: key }: PendingView) => ({ skill, agent: key }),
      list: (after, limit) => listPendingGrants({ agent, after, limit }, { by }, registry),
    });
    return { data: { grants: rows.map(({ skill: _, ...grant }) => grant), ...next } };
  },
  answerGrant: async ({ params, body, principal }, { registry }) => {
    const options = { by: principalActor(principal), accept: body.accept };
    return { data: resultOf(await answerGrant(params.id, params.key, options, registry)) };
  },
  listGrants: async ({ params, query, principal }, { registry }) => {
    const by = principalActor(principal);
    const { rows, next } = await readPage(query, {
      position: GrantPosition,
      positionOf: ({ grantee }: Grant) => grantee,
      list: (after, limit) => listGrantPage(params.id, { after, limit }, { by }, registry),
    });
    return { data: { grants: rows.map(viewOf), ...next } };
  },
  getGrant: async ({ params: { id, kind, key }, principal }, { registry }) => {
    const grant = await findGrant(id, { kind, key }, { by: principalActor(principal) }, registry);
    if (grant !== undefined) return { data: viewOf(grant), etag: tagOf(grant) };
    throw new SkillError("GRANT_NOT_FOUND", `The ${kind} ${key} has no grant for this skill.`, {
      hint: "GET /v1/skills/{id}/grants lists the grants.",
      details: { id, kind, key },
    });
  },
  putGrant: async ({ params, body, principal, headers }, { registry }) => {
    const { id, kind, key } = params;
    const seen = await findExpectedGrant({ params, principal, headers }, registry);
    const options = { by: principalActor(principal), seen, ...definedFields(body) };
    const { grant, ...result } = await grantSkill(id, { kind, key }, options, registry);
    return { data: resultOf(result), ...(grant === undefined ? {} : { etag: tagOf(grant) }) };
  },
  deleteGrant: async ({ params, principal, headers }, { registry }) => {
    const { id, kind, key } = params;
    const seen = await findExpectedGrant({ params, principal, headers }, registry);
    const by = principalActor(principal);
    return { data: resultOf(await revokeSkill(id, { kind, key }, { by, seen }, registry)) };
  },
  explainAccess: async ({ params, query, principal }, context) => {
    const { registry, host, skills } = context;
    const [own, viewer] = await Promise.all([
      requestViewer(principal, {}, context),
      requestViewer(principal, query, context),
    ]);
    const id = await skillIdOf(params.id, context);
    await skills.refresh();
    const entry = skills.view().find(id);
    const isKnown =
      isAdministrator(principal) || (entry && candidateDisclosure([own, viewer], context)(entry));
    if (entry === undefined || isKnown !== true) throw noSkill(params.id);
    return { data: await explainAccess(id, viewer, host, registry) };
  },
  explainAll: async ({ query, principal }, context) => {
    const own = await requestViewer(principal, {}, context);
    const viewer = await requestViewer(principal, query, context);
    const isAdmin = isAdministrator(principal);
    const isKnown = candidateDisclosure([own, viewer], context);
    const accepts = (each: Explanation) => isAdmin || each.state === "visible" || isKnown(each);
    const { rows, next } = await readPage(query, explanationList({ viewer, accepts }, context.library));
    const explanations = rows.map(({ row }) => (isAdmin ? row : withoutPath(row)));
    return { data: { explanations, ...next } };
  },
  listUsers: async ({ query, principal }, { registry: { store } }) => {
    const { rows, next } = await readPage(query, {
      position: z.string(),
      positionOf: ({ name }: UserRecord) => name,
      list: (after, limit) => store.listUsers({ after, limit }),
    });
    const isAdmin = isAdministrator(principal);
    const users = rows.map(({ role, inactiveSince, ...user }) =>
      isAdmin ? { ...user, role, isActive: inactiveSince === undefined } : user,
    );
    return { data: { users, ...next } };
  },
};

interface ChangeCall {
  readonly params: { readonly id: string; readonly kind: "agent" | "user"; readonly key: string };
  readonly principal: Principal;
  readonly headers: Headers;
}

/** The grant that If-Match names; undefined without the header. Contract: the change rejects any other state. */
async function findExpectedGrant(
  { params: { id, kind, key }, principal, headers }: ChangeCall,
  registry: GatewayContext["registry"],
): Promise<Grant | undefined> {
  if (headers.get("if-match") === null) return undefined;
  const grant = await findGrant(id, { kind, key }, { by: principalActor(principal) }, registry);
  // A missing grant has no ETag, so no If-Match can name it.
  if (grant === undefined)
    throw new SkillError("PRECONDITION_FAILED", `The ${kind} ${key} has no grant for this skill.`, {
      details: { id },
    });
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
