import { z } from "zod";
import { SkillEvent } from "../../event.ts";
import { admins, publishers, route } from "../route.ts";

const moment = z.iso
  .datetime()
  .transform((text) => new Date(text).toISOString())
  .optional();

/** The filters of events; an absent one matches all. */
const filters = {
  skill: z.string().max(128).optional(),
  session: z.string().max(256).optional(),
  agent: z.string().max(256).optional().describe("The agent that acted, or that the event is about."),
  person: z.string().max(256).optional().describe("The user who acted, or for whom the agent acted."),
  from: moment.describe("Events from this moment on."),
  to: moment.describe("Events before this moment."),
  type: z
    .string()
    .max(1024)
    .transform((types) => types.split(","))
    .optional()
    .describe("One event type, or several separated by commas."),
};

export const auditRoutes = {
  listEvents: route({
    method: "GET",
    path: "/v1/audit",
    tag: "audit",
    summary:
      "List events in order, or newest first with `order=newest`. Publishers get those of skills that they manage",
    roles: publishers,
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
      ...filters,
    }),
    answer: z.object({
      events: z
        .array(
          z.object({
            seq: z.int(),
            event: SkillEvent,
            agent: z
              .string()
              .optional()
              .describe("The agent that acted, also where only its session names it."),
            person: z.string().optional(),
          }),
        )
        .readonly(),
      last: z.int().describe("The number of the last event that the caller may see."),
    }),
    condition: "read",
  }),
  exportEvents: route({
    method: "GET",
    path: "/v1/audit/export",
    tag: "audit",
    summary: "Download the events of a filter, oldest first, as CSV or as JSON lines",
    roles: publishers,
    query: z.strictObject({ format: z.enum(["csv", "jsonl"]).optional(), ...filters }),
    answer: "bytes",
    content: "none",
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
