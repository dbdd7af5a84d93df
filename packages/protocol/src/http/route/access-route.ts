import { z } from "zod";
import { Visibility } from "../../registry-event.ts";
import { SignInRole } from "../../role.ts";
import { At, byId, Name, nextCursor, paging, SkillKey, viewerParams } from "../field.ts";
import { everyone, people, publishers, route } from "../route.ts";

const Texts = z.array(z.string()).readonly();
const Kind = z.enum(["agent", "user"]);
const GrantView = z.object({
  grantee: z.object({ kind: Kind, key: z.string() }),
  canManage: z.boolean(),
  pin: z.int().min(1).optional(),
  grantedBy: z.string(),
  at: At,
});
const GrantResult = z.object({
  id: z.string(),
  grantee: z.object({ kind: Kind, key: z.string() }),
  /** `pending`: the grant waits for the consent of the agent's owner or an administrator. */
  status: z.enum(["granted", "pending", "revoked", "unchanged"]),
  visibility: Visibility,
});
const PendingGrantView = z.object({
  id: z.string(),
  agent: z.string(),
  /** The agent's owner. */
  owner: z.string(),
  canManage: z.boolean(),
  pin: z.int().min(1).optional(),
  requestedBy: z.string(),
  at: At,
  /** Whether the reader may accept or decline it. */
  mayAnswer: z.boolean(),
});
const grantParams = z.strictObject({ id: SkillKey, kind: Kind, key: Name });

/** Permissions to use skills. */
export const accessRoutes = {
  listGrants: route({
    method: "GET",
    path: "/v1/skills/{id}/grants",
    tag: "access",
    summary: "List the grants of a skill, for its managers",
    roles: publishers,
    params: byId,
    query: z.strictObject(paging),
    answer: z.object({ grants: z.array(GrantView).readonly(), nextCursor }),
    condition: "read",
    errors: ["SKILL_NOT_FOUND"],
  }),
  getGrant: route({
    method: "GET",
    path: "/v1/skills/{id}/grants/{kind}/{key}",
    tag: "access",
    summary: "Show the grant of one agent or user, for the managers of the skill",
    roles: publishers,
    params: grantParams,
    answer: GrantView,
    condition: "read",
    errors: ["SKILL_NOT_FOUND", "GRANT_NOT_FOUND"],
  }),
  putGrant: route({
    method: "PUT",
    path: "/v1/skills/{id}/grants/{kind}/{key}",
    tag: "access",
    summary: "Grant a skill to an agent or a user",
    roles: publishers,
    params: grantParams,
    body: z.strictObject({ canManage: z.boolean().optional(), pin: z.int().min(1).optional() }),
    answer: GrantResult,
    condition: "write",
    errors: ["SKILL_NOT_FOUND", "AGENT_NOT_FOUND", "REVISION_NOT_FOUND", "CONFLICT", "POLICY_DENIED"],
  }),
  deleteGrant: route({
    method: "DELETE",
    path: "/v1/skills/{id}/grants/{kind}/{key}",
    tag: "access",
    summary: "Revoke a grant",
    roles: publishers,
    params: grantParams,
    answer: GrantResult,
    condition: "write",
    errors: ["SKILL_NOT_FOUND", "CONFLICT", "POLICY_DENIED"],
  }),
  listPendingGrants: route({
    method: "GET",
    path: "/v1/grants/pending",
    tag: "access",
    summary: "List the grants that wait for consent and that you requested or may answer",
    roles: people,
    query: z.strictObject({ agent: Name.optional(), ...paging }),
    answer: z.object({ grants: z.array(PendingGrantView).readonly(), nextCursor }),
    condition: "read",
  }),
  answerGrant: route({
    method: "POST",
    path: "/v1/grants/pending/{id}/{key}",
    tag: "access",
    summary: "Accept or decline a pending grant, as the agent's owner or an administrator",
    roles: publishers,
    params: z.strictObject({ id: SkillKey, key: Name }),
    body: z.strictObject({ accept: z.boolean() }),
    answer: GrantResult,
    errors: ["GRANT_NOT_FOUND", "AGENT_NOT_FOUND", "CONFLICT", "POLICY_DENIED"],
  }),
  explainAccess: route({
    method: "GET",
    path: "/v1/skills/{id}/access",
    tag: "access",
    summary: "Explain whether an agent or user can use a skill, and which rule decides",
    roles: everyone,
    params: byId,
    query: z.strictObject(viewerParams),
    answer: z.object({
      id: z.string(),
      uid: z.string(),
      owner: z.string(),
      visibility: Visibility,
      revision: z.int(),
      isVisible: z.boolean(),
      reason: z.string(),
      rule: z.string().optional(),
      message: z.string(),
      warnings: Texts,
    }),
    condition: "read",
    errors: ["SKILL_NOT_FOUND", "AGENT_NOT_FOUND"],
  }),
  explainAll: route({
    method: "GET",
    path: "/v1/explain",
    tag: "access",
    summary: "Explain for every known skill whether an agent or user can use it",
    roles: everyone,
    query: z.strictObject({ ...viewerParams, ...paging }),
    answer: z.object({
      nextCursor,
      explanations: z
        .array(
          z.object({
            id: z.string(),
            path: z.string(),
            source: z.string(),
            state: z.enum(["visible", "hidden", "shadowed", "invalid"]),
            reason: z.string(),
            message: z.string(),
            warnings: Texts,
          }),
        )
        .readonly(),
    }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  listUsers: route({
    method: "GET",
    path: "/v1/users",
    tag: "access",
    summary: "List the known users, ordered by name",
    roles: publishers,
    query: z.strictObject(paging),
    answer: z.object({
      nextCursor,
      users: z
        .array(
          z.object({
            name: z.string(),
            displayName: z.string().optional(),
            createdAt: At,
            role: SignInRole.optional().describe("The role of their next sign-in; only for administrators."),
            isActive: z.boolean().optional().describe("Only for administrators."),
          }),
        )
        .readonly(),
    }),
    condition: "read",
  }),
} as const;
