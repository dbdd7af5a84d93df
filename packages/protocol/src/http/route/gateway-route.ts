import { z } from "zod";
import { At, nextCursor, paging, SkillKey } from "../field.ts";
import { admins, everyone, route } from "../route.ts";

export const SkillMetrics = z.object({
  skill: z.string(),
  revision: z.int().optional(),
  activations: z.int().min(0),
  reads: z.int().min(0),
  runs: z.int().min(0),
  runFailures: z.int().min(0),
  toolCalls: z.int().min(0),
  toolFailures: z.int().min(0),
  denials: z.int().min(0),
  sessions: z.int().min(0),
  durationMs: z.object({ p50: z.number(), p95: z.number(), max: z.number() }).optional(),
  lastUsedAt: At.optional(),
});
export type SkillMetrics = Readonly<z.infer<typeof SkillMetrics>>;

const UsageDays = z
  .array(
    z.object({ day: z.string(), activations: z.int(), reads: z.int(), runs: z.int(), failures: z.int() }),
  )
  .readonly();

export const gatewayRoutes = {
  listMetrics: route({
    method: "GET",
    path: "/v1/metrics",
    tag: "gateway",
    summary: "List the usage of skills from the audit log, ordered by id",
    roles: everyone,
    query: z.strictObject({ by: z.enum(["skill", "revision"]).optional(), ...paging }),
    answer: z.object({
      upTo: z.int().optional().describe("The last counted event, for administrators."),
      skills: z.array(SkillMetrics).readonly(),
      nextCursor,
    }),
    condition: "read",
  }),
  listDays: route({
    method: "GET",
    path: "/v1/metrics/days",
    tag: "gateway",
    summary: "Show the usage of all skills together by day, the last 90 days with use",
    roles: everyone,
    answer: z.object({ days: UsageDays }),
    condition: "read",
  }),
  getMetrics: route({
    method: "GET",
    path: "/v1/skills/{id}/metrics",
    tag: "gateway",
    summary: "Show the usage of a skill in total, by revision and by day",
    roles: everyone,
    params: z.strictObject({ id: SkillKey }),
    answer: z.object({
      total: SkillMetrics,
      revisions: z.array(SkillMetrics).readonly(),
      days: UsageDays,
    }),
    condition: "read",
    errors: ["SKILL_NOT_FOUND"],
  }),
  getStatus: route({
    method: "GET",
    path: "/v1/status",
    tag: "gateway",
    summary: "Show the version and configuration of this gateway",
    roles: everyone,
    answer: z.looseObject({
      version: z.string(),
      engine: z.enum(["sqlite", "postgres"]),
      startedAt: At,
      skills: z.int(),
      sandbox: z.string(),
      isDiscoverable: z
        .boolean()
        .describe("Whether the public skills below `/.well-known` are available without a token."),
      limits: z.record(z.string(), z.number()),
      sources: z.array(z.looseObject({ label: z.string() })).readonly(),
    }),
    condition: "read",
  }),
  getSandbox: route({
    method: "POST",
    path: "/v1/status/sandbox-test",
    tag: "gateway",
    summary: "Test the sandbox with harmless escape attempts",
    roles: admins,
    answer: z.looseObject({ ok: z.boolean() }),
  }),
  getPrometheus: route({
    method: "GET",
    path: "/metrics",
    tag: "gateway",
    summary:
      "Prometheus metrics; only public skills are named, and only administrators get the counts of others",
    roles: everyone,
    answer: "bytes",
    content: "none",
  }),
  getOpenApi: route({
    method: "GET",
    path: "/openapi.json",
    tag: "gateway",
    summary: "The routes as an OpenAPI 3.1 document",
    roles: everyone,
    answer: z.looseObject({ openapi: z.string() }),
    condition: "read",
  }),
  getReference: route({
    method: "GET",
    path: "/reference",
    tag: "gateway",
    summary: "The routes as a readable page",
    roles: everyone,
    answer: "bytes",
    content: "none",
  }),
  isAlive: route({
    method: "GET",
    path: "/healthz",
    tag: "gateway",
    summary: "Check that the gateway is running",
    roles: "anyone",
    answer: z.object({ status: z.literal("ok") }),
  }),
  isReady: route({
    method: "GET",
    path: "/readyz",
    tag: "gateway",
    summary:
      "Check that the gateway is ready: it has started, the store is reachable and no shutdown is in progress",
    roles: "anyone",
    answer: z.object({ status: z.literal("ready"), warnings: z.array(z.string()).optional() }),
    errors: ["STORE_FAILED", "STARTING"],
  }),
} as const;
