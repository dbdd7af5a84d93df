import { z } from "zod";
import { At, Name, SkillKey } from "../field.ts";
import { admins, route } from "../route.ts";

export const secretRoutes = {
  listSecrets: route({
    method: "GET",
    path: "/v1/secrets",
    tag: "secrets",
    summary: "List the names of the stored secrets, without their values",
    roles: admins,
    answer: z.object({
      secrets: z
        .array(
          z.object({
            skill: z.string(),
            name: z.string(),
            agent: z.string().optional(),
            updatedAt: At.optional(),
          }),
        )
        .readonly(),
    }),
    condition: "read",
    errors: ["NOT_READY"],
  }),
  putSecret: route({
    method: "PUT",
    path: "/v1/secrets/{id}/{name}",
    tag: "secrets",
    summary: "Store a secret for a skill",
    roles: admins,
    params: z.strictObject({ id: SkillKey, name: Name }),
    query: z.strictObject({ agent: Name.optional() }),
    body: z.strictObject({ value: z.string().min(1).max(65_536) }),
    answer: "nothing",
    status: 204,
    errors: ["NOT_READY"],
  }),
  deleteSecret: route({
    method: "DELETE",
    path: "/v1/secrets/{id}/{name}",
    tag: "secrets",
    summary: "Delete a secret",
    roles: admins,
    params: z.strictObject({ id: SkillKey, name: Name }),
    query: z.strictObject({ agent: Name.optional() }),
    answer: z.object({ wasThere: z.boolean() }),
    errors: ["NOT_READY"],
  }),
} as const;
