import { z } from "zod";
import { SkillEvent } from "../../event.ts";
import { admins, route } from "../route.ts";

export const auditRoutes = {
  listEvents: route({
    method: "GET",
    path: "/v1/audit",
    tag: "audit",
    summary: "List events in order, or newest first with `order=newest`",
    roles: admins,
    query: z.strictObject({
      after: z
        .string()
        .regex(/^[0-9]{1,15}$/)
        .transform(Number)
        .optional()
        .describe("Continue after this event, or before it with newest first."),
      limit: z
        .string()
        .regex(/^[1-9][0-9]{0,3}$/)
        .transform(Number)
        .pipe(z.int().max(1000))
        .optional(),
      order: z.enum(["oldest", "newest"]).optional(),
      skill: z.string().max(128).optional(),
      session: z.string().max(256).optional(),
      type: z
        .string()
        .max(1024)
        .transform((types) => types.split(","))
        .optional()
        .describe("One event type, or several separated by commas."),
    }),
    answer: z.object({
      events: z.array(z.object({ seq: z.int(), event: SkillEvent })).readonly(),
      last: z.int().describe("The number of the last event."),
    }),
    condition: "read",
  }),
  verifyAudit: route({
    method: "GET",
    path: "/v1/audit/verify",
    tag: "audit",
    summary: "Verify the whole audit log",
    roles: admins,
    answer: z.looseObject({ ok: z.boolean() }),
  }),
  replaySession: route({
    method: "GET",
    path: "/v1/audit/sessions/{session}",
    tag: "audit",
    summary: "Replay what an agent received and ran in a session, with later changes",
    roles: admins,
    params: z.strictObject({ session: z.string().min(1).max(256) }),
    answer: z.looseObject({ session: z.string() }),
    condition: "read",
    errors: ["SESSION_NOT_FOUND"],
  }),
} as const;
